"""What a compiled model tells of its closed loops."""
