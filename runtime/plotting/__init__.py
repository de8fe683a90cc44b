"""Curves and figures."""
