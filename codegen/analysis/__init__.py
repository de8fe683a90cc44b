"""What is decided before anything is printed: partitions, routes, collision pairs, constraint rows."""
