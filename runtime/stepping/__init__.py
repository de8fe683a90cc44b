"""One structure, step by step: its loops, what it is given, and the call into C."""
