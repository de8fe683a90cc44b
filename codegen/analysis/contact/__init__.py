"""What is decided of contact: who may touch whom, where shapes are, which rows there may be and how they move."""
