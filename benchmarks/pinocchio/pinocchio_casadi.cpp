// Pinocchio's inverse dynamics as an expression of CasADi (SX), by its algorithms on CasADi's scalars.
// Usage: pinocchio_casadi MODEL.txt OUT.casadi   (MODEL written by peer.py); OUT: the function (q, v, a) -> tau
#include <pinocchio/autodiff/casadi.hpp>

#include "pinocchio_model.hpp"

#include <pinocchio/algorithm/rnea.hpp>

namespace {

using Scalar = casadi::SX;
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

Vector entries(const Scalar &x) {
  Vector result(x.size1());
  for (casadi_int i = 0; i < x.size1(); ++i)
    result[i] = x(i);
  return result;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 3)
    return 2;
  const auto model = read(arguments[1]).cast<Scalar>();
  pinocchio::DataTpl<Scalar> data(model);
  const Scalar q = Scalar::sym("q", model.nq), v = Scalar::sym("v", model.nv), a = Scalar::sym("a", model.nv);
  const Vector found = pinocchio::rnea(model, data, entries(q), entries(v), entries(a));
  Scalar tau(model.nv, 1);
  pinocchio::casadi::copy(found, tau);
  const casadi::Function function("inverse_dynamics", {q, v, a}, {tau}, {"q", "v", "a"}, {"tau"});
  function.save(arguments[2]);
}
