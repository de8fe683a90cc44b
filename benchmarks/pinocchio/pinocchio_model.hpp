// What the timing programs share: a clock, and the reader of the flat model text that peer.py writes.
#pragma once

#include <pinocchio/multibody.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

constexpr int kStates = 256, kCalls = 20000, kRepetitions = 7;

template <class Function> double microseconds(Function function, int calls = kCalls) {
  double best = 1e9;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      function(i % kStates);
    const auto stop = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double>(stop - start).count() / calls);
  }
  return best * 1e6;
}

template <class Aligned>
void add(pinocchio::Model &model, pinocchio::JointIndex parent, const Aligned &joint, const pinocchio::SE3 &placement,
         const pinocchio::Inertia &inertia) {
  const auto id = model.addJoint(parent, joint, placement, "joint" + std::to_string(model.njoints));
  model.appendBodyToJoint(id, inertia, pinocchio::SE3::Identity());
}

pinocchio::Model read(const char *path) {
  using namespace pinocchio;
  Model model;
  std::ifstream in(path);
  int joints = 0;
  in >> joints;
  for (int i = 0; i < joints; ++i) {
    JointIndex parent;
    char kind;
    double mass;
    Eigen::Vector3d axis, translation, com;
    Eigen::Matrix3d rotation, inertia;
    in >> parent >> kind >> axis[0] >> axis[1] >> axis[2];
    for (int k = 0; k < 9; ++k)
      in >> rotation(k / 3, k % 3);
    in >> translation[0] >> translation[1] >> translation[2] >> mass >> com[0] >> com[1] >> com[2];
    for (int k = 0; k < 9; ++k)
      in >> inertia(k / 3, k % 3);
    if (!in) {
      std::fprintf(stderr, "%s: joint %d is incomplete\n", path, i);
      std::exit(1);
    }
    const SE3 placement(rotation, translation);
    const Inertia body(mass, com, inertia);
    const auto along = [&](int k) { return (axis - Eigen::Vector3d::Unit(k)).norm() < 1e-9; };
    if (kind == 'F')
      add(model, parent, JointModelFreeFlyer(), placement, body);
    else if (kind == 'P' && along(0))
      add(model, parent, JointModelPX(), placement, body);
    else if (kind == 'P' && along(1))
      add(model, parent, JointModelPY(), placement, body);
    else if (kind == 'P' && along(2))
      add(model, parent, JointModelPZ(), placement, body);
    else if (kind == 'P')
      add(model, parent, JointModelPrismaticUnaligned(axis), placement, body);
    else if (along(0))
      add(model, parent, JointModelRX(), placement, body);
    else if (along(1))
      add(model, parent, JointModelRY(), placement, body);
    else if (along(2))
      add(model, parent, JointModelRZ(), placement, body);
    else
      add(model, parent, JointModelRevoluteUnaligned(axis), placement, body);
  }
  model.lowerPositionLimit.setConstant(-1);
  model.upperPositionLimit.setConstant(1);
  return model;
}

} // namespace
