"""Mechanisms in maximal coordinates: all links as free bodies, held by joints; in doubles or with 60 digits."""
