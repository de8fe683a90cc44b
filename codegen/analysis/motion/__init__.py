"""How links move: motion axes, bodies that spin by themselves, links that turn."""
