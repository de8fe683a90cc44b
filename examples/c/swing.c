/* A double pendulum let go: two seconds, a line every tenth; then the torque that holds it where it is. */

#include <stdio.h>

#include "double_pendulum.h"

int main(void)
{
    double q[DOUBLE_PENDULUM_NQ] = {0.0}, v[DOUBLE_PENDULUM_NV] = {0.0};
    const double tau[DOUBLE_PENDULUM_NTAU] = {0.0};
    q[DOUBLE_PENDULUM_Q_SHOULDER] = 0.5;
    q[DOUBLE_PENDULUM_Q_ELBOW] = -0.3;

    /* 1: Runge-Kutta; stride 0: the same torque in every step */
    double_pendulum_simulation motion = {.integrator = 1, .steps = 100, .dt = 1e-3, .q = q, .v = v, .tau = tau};
    printf("    t [s]  shoulder [rad]  elbow [rad]  energy [J]\n");
    for (int i = 0; i <= 20; i++) {
        double energy[2];
        double_pendulum_energy(q, v, energy); /* kinetic, potential */
        printf("%9.1f  %14.6f  %11.6f  %10.6f\n", 0.1 * i, q[DOUBLE_PENDULUM_Q_SHOULDER], q[DOUBLE_PENDULUM_Q_ELBOW],
            energy[0] + energy[1]);
        if (double_pendulum_simulate(&motion) != motion.steps)
            return 1; /* a state was not finite */
    }

    double g[DOUBLE_PENDULUM_NV];
    double_pendulum_gravity(q, g);
    printf("holding torque: shoulder %.6f, elbow %.6f N m\n", g[DOUBLE_PENDULUM_V_SHOULDER],
        g[DOUBLE_PENDULUM_V_ELBOW]);
    return 0;
}
