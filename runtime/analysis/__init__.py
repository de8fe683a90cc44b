"""What follows from a motion: torque by cause, states, smoothing."""
