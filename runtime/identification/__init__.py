"""Inertial parameters: regressors, base parameters, identification."""
