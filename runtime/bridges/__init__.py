"""Functions of a model for other packages: with their rates, in the numbers that users give."""
