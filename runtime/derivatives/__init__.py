"""Derivatives of the dynamics of a compiled model, and what is made of them."""
