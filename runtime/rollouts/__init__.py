"""Many simulations of one model at once."""
