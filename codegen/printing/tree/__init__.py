"""Files of the tree: straight-line kernels and loops over paths."""
