"""Names that users give: found, refused with those that are like them, written in Latin letters."""
