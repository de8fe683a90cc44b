"""Derivatives of steps, linear models, equilibria: what is made of those of the dynamics."""
