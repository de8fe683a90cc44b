"""What a mechanism is made of: links, joints, what couples them, and what they weigh."""
