"""What contact needs of the tree."""
