"""Structs and enums of a model as C: those that Python shares (runtime.structs), and those of a size of its own."""
