"""Mutants of files, seeded, and what is expected of those who read them."""
