"""What the commands of this folder share: our kernels and the peers, built and timed."""
