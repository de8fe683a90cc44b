"""Compiled C, loaded and called."""
