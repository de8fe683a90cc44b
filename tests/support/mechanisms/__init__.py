"""Mechanisms and compiled models that tests share."""
