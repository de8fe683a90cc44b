"""Records of arrays, which are equal by value; smoothing; the work of all sources along a motion."""
