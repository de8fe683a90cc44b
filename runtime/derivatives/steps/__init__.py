"""Derivatives of a step of a simulation (mathematics §14)."""
