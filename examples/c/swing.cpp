// A double pendulum let go, from C++: where the lower link is, and the energy, every tenth of a second.

#include <array>
#include <cstdio>

#include "double_pendulum.h"

int main()
{
    std::array<double, DOUBLE_PENDULUM_NQ> q{};
    std::array<double, DOUBLE_PENDULUM_NV> v{};
    const std::array<double, DOUBLE_PENDULUM_NTAU> tau{};
    q[DOUBLE_PENDULUM_Q_SHOULDER] = 0.5;
    q[DOUBLE_PENDULUM_Q_ELBOW] = -0.3;

    double_pendulum_simulation motion{};
    motion.integrator = 1; // Runge-Kutta
    motion.steps = 100;
    motion.dt = 1e-3;
    motion.q = q.data();
    motion.v = v.data();
    motion.tau = tau.data();

    std::printf("    t [s]  lower x [m]  lower z [m]  energy [J]\n");
    for (int i = 0; i <= 20; i++) {
        double poses[DOUBLE_PENDULUM_NLINKS][4][4];
        std::array<double, 2> energy{};
        double_pendulum_link_poses(q.data(), &poses[0][0][0]);
        double_pendulum_energy(q.data(), v.data(), energy.data());
        const auto &lower = poses[DOUBLE_PENDULUM_LINK_LOWER];
        std::printf("%9.1f  %11.6f  %11.6f  %10.6f\n", 0.1 * i, lower[0][3], lower[2][3], energy[0] + energy[1]);
        if (double_pendulum_simulate(&motion) != motion.steps)
            return 1; // a state was not finite
    }
    return 0;
}
