"""Inverse dynamics from measured motion: segments, markers, force plates, and the files they come in. Needs numpy."""
