"""Files of the time step: constraint rows, loops, the step itself."""
