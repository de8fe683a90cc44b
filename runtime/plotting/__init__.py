"""Motions as curves."""
