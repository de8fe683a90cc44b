"""How links hang together: tree, pointers, loops; and the edits that change it."""
