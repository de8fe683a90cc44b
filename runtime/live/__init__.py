"""A motion that goes on in a page: a model as WebAssembly, stepped by JavaScript."""
