"""Motions as pictures."""
