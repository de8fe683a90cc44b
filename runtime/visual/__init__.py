"""What links look like, as plain data: surfaces, simplified and packed."""
