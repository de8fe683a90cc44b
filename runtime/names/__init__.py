"""Names: those that users give are found, refused with those that are like them, written in Latin letters; those of
packages are imported when they are first used."""
