"""Programs and templates as text: printer, dialects, the one Jinja environment, legend, widths of lines."""
