"""kinegen's own format."""
