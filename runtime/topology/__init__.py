"""Structure that changes while a mechanism moves."""
