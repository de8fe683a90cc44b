"""Independent answers to check kinegen against, and the mechanisms to ask about; kinegen imports nothing of it."""
