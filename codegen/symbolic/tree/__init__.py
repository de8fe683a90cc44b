"""Kinematics and dynamics of the spanning tree."""
