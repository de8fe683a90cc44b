"""Files -> mechanisms, one reader a format, and back."""
