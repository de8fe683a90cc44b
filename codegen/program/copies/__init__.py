"""Parts that are alike as loops over them: what is found of a function, and sums over all."""
