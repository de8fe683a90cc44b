"""Inertial parameters: base parameters, identification."""
