"""Shapes for contact, convex polyhedra and mesh files."""
