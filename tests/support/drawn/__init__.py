"""Random mechanisms, each closed by construction with 60 digits, and what they are judged by."""
