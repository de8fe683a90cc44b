"""Walking on two feet: footsteps, a pattern by preview control of the ZMP, its replay (docs/walking_robots.md)."""
