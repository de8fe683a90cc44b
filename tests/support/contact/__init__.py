"""Scenes of contact, and what contacts must satisfy."""
