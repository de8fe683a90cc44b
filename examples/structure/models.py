"""The mechanisms of the scenes beside this file, written as TOML.

python examples/structure/models.py [FOLDER]          they go to FOLDER (models/ beside this file)
"""

from pathlib import Path

import kinegen as kg
from kinegen.script import Folder, script

HERE = Path(__file__).parent / "models"
EAST = (0, 1, 0)


def rod(name, length, mass, down=True):
    """A rod along z below its joint, or above it."""
    com = (0, 0, -length / 2 if down else length / 2)
    return kg.Link(name, mass, com, kg.inertia.box(mass, (0.04, 0.04, length)))


def bar(height):
    """A bar across the y axis, fixed to world."""
    link = kg.Link("bar", 5.0, inertia=kg.inertia.box(5.0, (0.03, 1.4, 0.03)))
    return [link], [kg.Joint("stand", "fixed", "world", "bar", kg.Pose((0, 0, height)))]


def figure_and_bar(name):
    """The figure of [N98 Fig. 14] and a bar."""
    links, joints = bar(2.6)
    man = kg.simple_figure()
    return kg.Mechanism(name, [*links, *man.links], [*joints, *man.joints], frames=man.frames)


def swing():
    """The figure and the swing of [N98 Fig. 15]: rods on balls, a board hinged to the left one."""
    rods = [rod("rod_l", 2.0, 3.0), rod("rod_r", 2.0, 3.0)]
    board = kg.Link("board", 4.0, inertia=kg.inertia.box(4.0, (0.3, 0.6, 0.03)))
    joints = [
        kg.Joint("top_l", "spherical", "world", "rod_l", kg.Pose((0, 0.3, 2.5)), damping=0.5),
        kg.Joint("top_r", "spherical", "world", "rod_r", kg.Pose((0, -0.3, 2.5)), damping=0.5),
        kg.Joint("hinge_l", "revolute", "rod_l", "board", kg.Pose((0, 0, -2.0)), kg.Pose((0, 0.3, 0)), axis=EAST),
    ]
    man = kg.simple_figure()
    return kg.Mechanism("swing", [*rods, board, *man.links], [*joints, *man.joints], frames=man.frames)


def chain(count=12, length=0.2):
    """Modules in a row that float in the plane of x and y, hinged about z."""
    side = (length, 0.1, 0.1)
    links = [kg.Link(f"m{i}", 1.0, (length / 2, 0, 0), kg.inertia.box(1.0, side)) for i in range(1, count + 1)]
    joints = [kg.Joint("root", "free", "world", "m1")]
    for i in range(1, count):
        joints.append(kg.Joint(f"j{i}", "revolute", f"m{i}", f"m{i + 1}", kg.Pose((length, 0, 0)), axis=(0, 0, 1)))
    frames = [kg.Frame("head", f"m{count}", kg.Pose((length, 0, 0)))]
    return kg.Mechanism("modules", links, joints, gravity=(0, 0, 0), frames=frames)


def ring():
    """Two figures, afloat."""
    first, second = kg.simple_figure(prefix="a_"), kg.simple_figure(prefix="b_")
    parts = {part: (*getattr(first, part), *getattr(second, part)) for part in ("links", "joints", "frames")}
    return kg.Mechanism("pair", gravity=(0, 0, 0), **parts)


def tower(storeys=6, height=0.5):
    """Storeys on springy hinges, one across the other."""
    links, joints = [], []
    for i in range(storeys):
        size, below = 0.4 - 0.04 * i, f"storey{i}" if i else "world"
        mass = 100.0 * size**2 * height
        links.append(kg.Link(f"storey{i + 1}", mass, (0, 0, height / 2), kg.inertia.box(mass, (size, size, height))))
        joints.append(
            kg.Joint(
                f"joint{i + 1}", "revolute", below, f"storey{i + 1}", kg.Pose((0, 0, height if i else 0)),
                axis=EAST if i % 2 else (1, 0, 0), stiffness=4000.0 / (i + 1) ** 2, damping=20.0,
            )
        )  # fmt: skip
    return kg.Mechanism("tower", links, joints)


def grippers():
    """Two arms of three hinges and a box that is handed over."""
    links, joints = [], []
    for side, x in (("a", -0.7), ("b", 0.7)):
        above = "world"
        for i, length in enumerate((0.5, 0.45, 0.15)):
            name = f"{side}{i + 1}"
            links.append(rod(name, length, 1.0, down=False))
            place = kg.Pose((x, 0, 0)) if i == 0 else kg.Pose((0, 0, (0.5, 0.45)[i - 1]))
            joints.append(
                kg.Joint(f"{side}_{('shoulder', 'elbow', 'wrist')[i]}", "revolute", above, name, place, axis=EAST)
            )
            above = name
    links.append(kg.Link("box", 0.5, inertia=kg.inertia.box(0.5, (0.1, 0.1, 0.1))))
    joints.append(kg.Joint("box_free", "free", "world", "box"))
    frames = [kg.Frame(f"hand_{side}", f"{side}3", kg.Pose((0, 0, 0.15))) for side in "ab"]
    return kg.Mechanism("grippers", links, joints, frames=frames)


def gantry():
    """Rails across and down with a tip that touches, a crate on the ground and a scale on a spring."""
    lift = kg.Link("lift", 3.0, inertia=kg.inertia.box(3.0, (0.1, 0.1, 0.4)))
    tip = kg.Link("tip", 1.0, (0, 0, 0.1), kg.inertia.box(1.0, (0.06, 0.06, 0.2)), shapes=[kg.sphere(0.03)])
    crate = kg.Link("crate", 2.0, inertia=kg.inertia.box(2.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    scale = kg.Link("scale", 2.0, inertia=kg.inertia.box(2.0, (0.4, 0.4, 0.05)), shapes=[kg.box((0.4, 0.4, 0.05))])
    joints = [
        kg.Joint("across", "prismatic", "world", "lift", kg.Pose((0, 0, 0.8)), axis=(1, 0, 0)),
        kg.Joint("down", "prismatic", "lift", "tip", axis=(0, 0, -1)),
        kg.Joint("crate_free", "free", "world", "crate"),
        kg.Joint(
            "spring",
            "prismatic",
            "world",
            "scale",
            kg.Pose((1.0, 0, 0.3)),
            axis=(0, 0, 1),
            stiffness=2000.0,
            damping=60.0,
            actuated=False,
        ),
    ]
    return kg.Mechanism("gantry", [lift, tip, crate, scale], joints, shapes=[kg.plane()])


def models():
    """File name → mechanism."""
    return {
        "figure_and_bar": figure_and_bar("figure_and_bar"),
        "swing": swing(),
        "walker": kg.human_figure(name="walker"),
        "modules": chain(),
        "pair": ring(),
        "tower": tower(),
        "grippers": grippers(),
        "gantry": gantry(),
    }


def main(folder: Folder = HERE) -> None:
    for name, mechanism in models().items():
        kg.save(mechanism, folder / f"{name}.toml")
        print(folder / f"{name}.toml")


if __name__ == "__main__":
    script(main, __doc__)
