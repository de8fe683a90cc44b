"""What each quantity of a tree is derived by, one topic a file: name → title and what writes it on a tape."""
