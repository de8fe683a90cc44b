"""What torques are made of: by cause, and linear in the inertial parameters."""
