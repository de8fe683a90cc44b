// Pinocchio's second derivatives of inverse dynamics, header-only and compiled for this processor.
// Usage: pinocchio_second MODEL.txt STATES.bin OUT.bin   (called by second_derivatives.py); STATES: q, v, a of states one
// after the other. Prints microseconds a call, best of 7; writes the four tensors of the first state, first index fastest:
// by q and q, by q and v, by v and v, by a and q.
#include "pinocchio_model.hpp"

#include <vector>

#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

int main(int count, char **arguments) {
  using namespace pinocchio;
  if (count != 4)
    return 2;
  const Model model = read(arguments[1]);
  Data data(model);
  std::ifstream in(arguments[2], std::ios::binary);
  std::vector<Eigen::VectorXd> q, v, a;
  const auto vector = [&](int size) {
    Eigen::VectorXd x(size);
    in.read(reinterpret_cast<char *>(x.data()), size * sizeof(double));
    return x;
  };
  for (Eigen::VectorXd first = vector(model.nq); in; first = vector(model.nq)) {
    q.push_back(first);
    v.push_back(vector(model.nv));
    a.push_back(vector(model.nv));
  }
  Data::Tensor3x tensors[4];
  for (auto &tensor : tensors) {
    tensor = Data::Tensor3x(model.nv, model.nv, model.nv);
    tensor.setZero();
  }
  const auto call = [&](int i) {
    const auto k = i % q.size();
    ComputeRNEASecondOrderDerivatives(model, data, q[k], v[k], a[k], tensors[0], tensors[2], tensors[1], tensors[3]);
  };
  std::printf("%.4f\n", microseconds(call, 500));
  call(0);
  std::ofstream out(arguments[3], std::ios::binary);
  for (const auto &tensor : tensors)
    out.write(reinterpret_cast<const char *>(tensor.data()), tensor.size() * sizeof(double));
}
