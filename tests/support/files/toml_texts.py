"""TOML files as text: a small one, and one that uses every option."""

from __future__ import annotations

TOML = """name = "m"
gravity = [0, 0, -9.81]
[[link]]
name = "a"
mass = 1
inertia = {box = [1, [1, 1, 1]]}
[[joint]]
name = "j"
kind = "revolute"
parent = "world"
child = "a"
origin = {xyz = [0, 0, 1]}
"""

EVERYTHING = """
name = "all"
gravity = [0, 0, "-g"]
shape = [{plane = true, friction = 0.3}]
frame = [{name = "tool", link = "b", xyz = [0, 0, 1], rpy = [0, 0, "pi/2"]}]

[[link]]
name = "a"
mass = "m"
com = ["l/2", 0, 0]
inertia = {rod = ["m", "l"]}
shapes = [{capsule = [0.1, 0.5], rpy = [0, "pi/2", 0], restitution = 0.2}, {mesh = "a.stl", scale = [1, 1, 2]}]

[[link]]
name = "b"
mass = 2
inertia = {cylinder = [2, 0.1, 0.4], axis = [1, 0, 0]}

[[link]]
name = "c"
mass = 1
inertia = [1, 0, 0, 1, 0, 1]

[[link]]
name = "d"
mass = 1
inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]

[[joint]]
name = "j"
kind = "revolute"
parent = "world"
child = "a"
origin = {xyz = [0, 0, 1], rpy = [0.1, 0.2, 0.3]}
axis = [0, 1, 0]
limits = [-1, inf]
velocity_limit = 3
effort_limit = 4
damping = "d"
stiffness = 0.5
rest = 0.1
friction = 0.2
armature = 0.3

[[joint]]
name = "k"
kind = "prismatic"
parent = "a"
child = "b"
origin = ["l", 0, 0]
mimic = {joint = "j", multiplier = "r", offset = 0.5}

[[joint]]
name = "u"
kind = "universal"
parent = "b"
child = "c"
axis2 = [0, 0.6, 0.8]
limits = [[-1, 1], [-2, 2]]
damping = [1, 2]
actuated = false

[[joint]]
name = "h"
kind = "helical"
parent = "c"
child = "d"
pitch = "pi/100"

[[joint]]
name = "s"
kind = "spherical"
parent = "world"
child = "d"
child_origin = {rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}
cut = true
"""

ROLLING = """
name = "coin"

[[link]]
name = "coin"
mass = 2
inertia = {cylinder = [2, 0.3, 0.02], axis = [0, 1, 0]}

[[link]]
name = "table"
mass = 5
inertia = [1, 0, 0, 1, 0, 1]

[[joint]]
name = "lift"
kind = "prismatic"
parent = "world"
child = "table"
axis = [0, 0, 1]
motion = "h + A*sin(2*pi*f*t)"

[[joint]]
name = "base"
kind = "free"
parent = "world"
child = "coin"
start = [0, 0, 0.3, 0, 0, 0, 1]

[[joint]]
name = "roll"
kind = "spherical"
parent = "table"
child = "coin"
origin = {xyz = [0, 0, "s"]}
child_origin = {rpy = [0, 0, 0.2]}
wheel = {radius = 0.3, tyre = 0.01, axis = [0, 1, 0]}
damping = "c"
"""
