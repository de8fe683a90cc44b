"""Motions as pages that move: what links look like, where they are in every frame, and one file of it all."""
