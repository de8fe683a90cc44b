"""Files of compiled models that only their owner can have written."""
