"""Motion of the coordinates and forces in the joints, joint by joint."""
