"""Motions as pages that move: where links are in every frame, and one file of it all."""
