"""Conditions that are watched, and what is to happen when they come true or at a time."""
