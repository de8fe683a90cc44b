"""What follows from a motion: torque by cause, states, smoothing; and records of arrays, which are equal by value."""
