"""Balance of what walks: where the floor presses and may press, and how far a motion is from a fall."""
