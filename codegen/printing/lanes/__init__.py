"""Kernels that compute several states at a time, and the packed mass matrix that goes with them."""
