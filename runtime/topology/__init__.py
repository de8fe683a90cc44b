"""Structure that changes while a mechanism moves: libraries, and the impulses of a change."""
