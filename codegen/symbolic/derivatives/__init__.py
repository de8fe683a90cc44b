"""Derivatives of dynamics: of the tree by recursion, of programs by differentiating their tape."""
