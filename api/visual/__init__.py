"""Mechanisms as surfaces and colours: what pictures, pages and viewers show of links."""
