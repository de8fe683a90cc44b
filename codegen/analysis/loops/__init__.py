"""Loops as the C needs them: the closure, the partition of its velocities, the straight-line code that it allows."""
