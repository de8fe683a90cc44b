"""Inverse kinematics: targets, the search for configurations that meet them, and what it found."""
