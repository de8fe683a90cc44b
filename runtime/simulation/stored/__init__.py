"""A trajectory outside of Python: an npz file, a table of columns, a .csv file."""
