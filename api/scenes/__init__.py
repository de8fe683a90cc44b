"""Scenes: which model moves, from where, driven by what; as TOML files."""
