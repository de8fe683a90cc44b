// Pinocchio's inverse dynamics, mass matrix, forward dynamics and the derivatives of both, header-only and compiled for
// this processor.
// Usage: pinocchio_bench MODEL.txt   (written by peer.py); prints microseconds per call, best of 7 x 20000 calls
// over 256 random states, as "rnea crba aba drnea daba".
#include "pinocchio_model.hpp"

#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

int main(int count, char **arguments) {
  using namespace pinocchio;
  if (count != 2)
    return 2;
  const Model model = read(arguments[1]);
  Data data(model);
  std::vector<Eigen::VectorXd> q(kStates), v(kStates), t(kStates);
  for (int i = 0; i < kStates; ++i) {
    q[i] = randomConfiguration(model);
    v[i] = Eigen::VectorXd::Random(model.nv);
    t[i] = Eigen::VectorXd::Random(model.nv);
  }
  const double id = microseconds([&](int i) { rnea(model, data, q[i], v[i], t[i]); });
  const double world = microseconds([&](int i) { crba(model, data, q[i], Convention::WORLD); });
  const double local = microseconds([&](int i) { crba(model, data, q[i], Convention::LOCAL); });
  const double fd = microseconds([&](int i) { aba(model, data, q[i], v[i], t[i], Convention::LOCAL); });
  const double did = microseconds([&](int i) { computeRNEADerivatives(model, data, q[i], v[i], t[i]); });
  const double dfd = microseconds([&](int i) { computeABADerivatives(model, data, q[i], v[i], t[i]); });
  std::printf("%.4f %.4f %.4f %.4f %.4f\n", id, std::min(world, local), fd, did, dfd);
}
