"""Limbs that are alike, side by side in vectors: numbers of values, and packs of those with one number."""
