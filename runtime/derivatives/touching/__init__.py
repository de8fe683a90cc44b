"""Steps in which something touches, or a joint meets its limit, by the implicit function theorem (§14)."""
