"""Expressions as a person writes them."""
