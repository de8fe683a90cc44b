// Pinocchio's functions that answer what methods of a model do, header-only and compiled for this processor.
// Usage: pinocchio_calls MODEL.txt JOINT R(9) P(3)   (MODEL written by peer.py): the frame that is asked for stands at
// R (row by row), P in this joint, counted from 1. Prints lines of a method's name and microseconds a call, best of
// 7 x 20000 calls over 256 random states.
#include "pinocchio_model.hpp"

#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass-derivatives.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames-derivatives.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace {

using namespace pinocchio;
using Rows = std::vector<Eigen::VectorXd>;

struct Asked {
  const Model &model;
  Data &data;
  const Rows &q, &v, &a;
};

template <class Function> void timed(const char *name, Function function, int calls = kCalls) {
  std::printf("%s %.5f\n", name, microseconds(function, calls));
}

void dynamics(const Asked &x) {
  const Model &model = x.model;
  Data &data = x.data;
  const double world = microseconds([&](int i) { crba(model, data, x.q[i], Convention::WORLD); });
  const double local = microseconds([&](int i) { crba(model, data, x.q[i], Convention::LOCAL); });
  std::printf("mass_matrix %.5f\n", std::min(world, local));
  timed("mass_matrix_solve", [&, b = x.v[0]](int i) mutable {
    b = x.v[i];
    cholesky::decompose(model, data);
    cholesky::solve(model, data, b);
  });
  timed("mass_matrix_product", [&, b = x.v[0]](int i) mutable { cholesky::Mv(model, data, x.v[i], b); });
  timed("gravity", [&](int i) { computeGeneralizedGravity(model, data, x.q[i]); });
  timed("bias", [&](int i) { nonLinearEffects(model, data, x.q[i], x.v[i]); });
  timed("inverse_dynamics", [&](int i) { rnea(model, data, x.q[i], x.v[i], x.a[i]); });
  timed("forward_dynamics", [&](int i) { aba(model, data, x.q[i], x.v[i], x.a[i], Convention::LOCAL); });
  timed("torque_regressor", [&](int i) { computeJointTorqueRegressor(model, data, x.q[i], x.v[i], x.a[i]); });
  timed("inverse_dynamics_derivatives", [&](int i) { computeRNEADerivatives(model, data, x.q[i], x.v[i], x.a[i]); });
  timed("forward_dynamics_derivatives", [&](int i) { computeABADerivatives(model, data, x.q[i], x.v[i], x.a[i]); });
  timed(
      "inverse_dynamics_second_derivatives",
      [&](int i) { ComputeRNEASecondOrderDerivatives(model, data, x.q[i], x.v[i], x.a[i]); }, 100);
}

void whole(const Asked &x) {
  const Model &model = x.model;
  Data &data = x.data;
  timed("link_poses", [&](int i) { forwardKinematics(model, data, x.q[i]); });
  timed("com", [&](int i) { centerOfMass(model, data, x.q[i], false); });
  timed("com_jacobian", [&](int i) { jacobianCenterOfMass(model, data, x.q[i], false); });
  timed("centroidal_momentum_matrix", [&](int i) { computeCentroidalMap(model, data, x.q[i]); });
  timed("momentum", [&](int i) { computeCentroidalMomentum(model, data, x.q[i], x.v[i]); });
  timed("momentum_rate", [&](int i) { computeCentroidalMomentumTimeVariation(model, data, x.q[i], x.v[i], x.a[i]); });
  timed("energy", [&](int i) {
    computeKineticEnergy(model, data, x.q[i], x.v[i]);
    computePotentialEnergy(model, data);
  });
  timed("energy_regressor", [&](int i) {
    computeKineticEnergyRegressor(model, data, x.q[i], x.v[i]);
    computePotentialEnergyRegressor(model, data, x.q[i]);
  });
  timed("com_velocity_derivatives", [&, out = Data::Matrix3x(3, model.nv)](int i) mutable {
    centerOfMass(model, data, x.q[i], x.v[i]);
    getCenterOfMassVelocityDerivatives(model, data, out);
    jacobianCenterOfMass(model, data, x.q[i], false);
  });
  Eigen::VectorXd q(model.nq), v(model.nv);
  timed("integrate", [&](int i) { integrate(model, x.q[i], x.v[i], q); });
  timed("difference", [&](int i) { difference(model, x.q[i], x.q[(i + 1) % kStates], v); });
  timed("neutral", [&](int) { neutral(model, q); });
  timed("random", [&](int) { randomConfiguration(model, model.lowerPositionLimit, model.upperPositionLimit, q); });
  timed("total_mass", [&](int) { computeTotalMass(model, data); });
}

void frames(const Asked &x, FrameIndex frame) {
  const Model &model = x.model;
  Data &data = x.data;
  const ReferenceFrame axes = LOCAL_WORLD_ALIGNED;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(model.nv);
  Data::Matrix6x J = Data::Matrix6x::Zero(6, model.nv), A = J, B = J, C = J;
  Motion motion;
  timed("frame_pose", [&](int i) {
    forwardKinematics(model, data, x.q[i]);
    updateFramePlacement(model, data, frame);
  });
  timed("frame_jacobian", [&](int i) { computeFrameJacobian(model, data, x.q[i], frame, axes, J); });
  timed("frame_velocity", [&](int i) {
    forwardKinematics(model, data, x.q[i], x.v[i]);
    motion = getFrameVelocity(model, data, frame, axes);
  });
  timed("frame_bias", [&](int i) {
    forwardKinematics(model, data, x.q[i], x.v[i], still);
    motion = getFrameClassicalAcceleration(model, data, frame, axes);
  });
  timed("frame_acceleration", [&](int i) {
    forwardKinematics(model, data, x.q[i], x.v[i], x.a[i]);
    motion = getFrameClassicalAcceleration(model, data, frame, axes);
  });
  timed("frame_velocity_derivatives", [&](int i) {
    computeForwardKinematicsDerivatives(model, data, x.q[i], x.v[i], still);
    getFrameVelocityDerivatives(model, data, frame, axes, A, J);
  });
  timed("frame_acceleration_derivatives", [&](int i) {
    computeForwardKinematicsDerivatives(model, data, x.q[i], x.v[i], x.a[i]);
    getFrameAccelerationDerivatives(model, data, frame, axes, A, B, C, J);
  });
}

} // namespace

int main(int count, char **arguments) {
  if (count != 15)
    return 2;
  Model model = read(arguments[1]);
  SE3 placement;
  for (int k = 0; k < 9; ++k)
    placement.rotation()(k / 3, k % 3) = std::atof(arguments[3 + k]);
  for (int k = 0; k < 3; ++k)
    placement.translation()[k] = std::atof(arguments[12 + k]);
  const auto joint = JointIndex(std::atoi(arguments[2]));
  const FrameIndex frame = model.addFrame(Frame("asked", joint, 0, placement, OP_FRAME));
  Data data(model);
  Rows q(kStates), v(kStates), a(kStates);
  for (int i = 0; i < kStates; ++i) {
    q[i] = randomConfiguration(model);
    v[i] = Eigen::VectorXd::Random(model.nv);
    a[i] = Eigen::VectorXd::Random(model.nv);
  }
  const Asked asked{model, data, q, v, a};
  dynamics(asked);
  whole(asked);
  frames(asked, frame);
}
