"""C by itself: drivers, compilers, samples of generated text."""
