"""Closure of loops, and dynamics under it."""
