"""Torques and energies as linear functions of the links' inertial parameters."""
