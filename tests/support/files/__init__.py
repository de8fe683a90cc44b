"""Model files as text, and what every reader owes to a file that it refuses."""
