"""What rolls without slip: mechanisms, and an oracle that knows the poses alone."""
