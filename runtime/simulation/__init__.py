"""Motion over time, through changes of structure, and its records."""
