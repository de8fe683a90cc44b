// Pinocchio's forward dynamics with links locked to the ground, header-only and compiled for this processor.
// Usage: pinocchio_closed MODEL.txt STATES.bin OUT.bin JOINT ...   (indices of the joints whose links are locked, from 0)
// STATES: kStates rows of q, then of v, then of tau. Writes the accelerations to OUT; prints microseconds per call, best
// of 7 x 20000 calls.
#include "pinocchio_model.hpp"

#include <vector>

#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/proximal.hpp>

namespace {

std::vector<Eigen::VectorXd> rows(std::ifstream &in, int size) {
  std::vector<Eigen::VectorXd> result(kStates, Eigen::VectorXd(size));
  for (auto &row : result)
    in.read(reinterpret_cast<char *>(row.data()), sizeof(double) * size);
  return result;
}

} // namespace

int main(int count, char **arguments) {
  using namespace pinocchio;
  if (count < 5)
    return 2;
  const Model model = read(arguments[1]);
  Data data(model);
  std::ifstream in(arguments[2], std::ios::binary);
  const auto q = rows(in, model.nq), v = rows(in, model.nv), t = rows(in, model.nv);
  if (!in)
    return 1;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(RigidConstraintModel) constraints;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(RigidConstraintData) work;
  for (int k = 4; k < count; ++k)
    constraints.emplace_back(CONTACT_6D, model, JointIndex(std::atoi(arguments[k]) + 1), SE3::Identity(), LOCAL);
  for (const auto &constraint : constraints)
    work.emplace_back(constraint);
  initConstraintDynamics(model, data, constraints, work);
  ProximalSettings settings(1e-12, 0.0, 1);
  std::ofstream out(arguments[3], std::ios::binary);
  for (int i = 0; i < kStates; ++i) {
    const Eigen::VectorXd a = constraintDynamics(model, data, q[i], v[i], t[i], constraints, work, settings);
    out.write(reinterpret_cast<const char *>(a.data()), sizeof(double) * model.nv);
  }
  std::printf("%.4f\n", microseconds([&](int i) {
                constraintDynamics(model, data, q[i], v[i], t[i], constraints, work, settings);
              }));
}
