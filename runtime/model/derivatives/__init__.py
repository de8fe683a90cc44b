"""Derivatives of the dynamics and of the motion of frames: methods of a model."""
