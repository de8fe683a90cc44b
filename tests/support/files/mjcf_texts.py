"""MJCF files as text: a small one, random ones, loops."""

from __future__ import annotations

import numpy as np

JOINT = '<joint name="j" type="hinge"/>'
GEOM = '<geom size="0.1"/>'
MJCF = f"""<mujoco model="m">
<worldbody>
<body name="a" pos="0 0 1">{JOINT}{GEOM}
<body name="b">{GEOM}</body></body>
</worldbody></mujoco>"""


def vector(rng, n=3, size=0.3):
    return " ".join(f"{x:.3f}" for x in rng.uniform(-size, size, n))


def orientation(rng):
    return str(
        rng.choice(
            [
                "",
                f'quat="{vector(rng, 4, 1)}"',
                f'euler="{vector(rng, 3, 90)}"',
                f'axisangle="{vector(rng, 4, 60)}"',
                f'zaxis="{vector(rng)}"',
                f'xyaxes="{vector(rng, 6)}"',
            ]
        )
    )


def random_geom(rng):
    kind = rng.choice(["sphere", "capsule", "cylinder", "box", "ellipsoid"])
    sizes = " ".join(f"{x:.3f}" for x in rng.uniform(0.05, 0.2, 3))
    if kind != "sphere" and rng.random() < 0.4:
        place = f'fromto="{vector(rng, 6)}"'
    else:
        place = f'pos="{vector(rng)}" {orientation(rng)}'
    extra = rng.choice(["", 'density="500"', 'mass="0.7"', 'class="heavy"', 'group="3"'])
    ghost = 'contype="0" conaffinity="0"' if kind == "ellipsoid" else ""
    return f'<geom type="{kind}" size="{sizes}" {place} {extra} {ghost}/>'


def random_inertial(rng):
    a, b, c = rng.uniform(0.1, 0.2, 3)
    if rng.random() < 0.5:
        return f'<inertial pos="{vector(rng)}" {orientation(rng)} mass="1.5" diaginertia="{a} {b} {c}"/>'
    return f'<inertial pos="{vector(rng)}" mass="1.5" fullinertia="{a} {b} {c} 0.01 -0.02 0.015"/>'


def random_joint(rng, kinds):
    kind = rng.choice(kinds)
    angle = f'ref="{rng.uniform(-20, 20):.2f}"' if kind == "hinge" else 'ref="0.1"' if kind == "slide" else ""
    extra = rng.choice(["", 'class="stiff"', 'armature="0.1" damping="2"'])
    axis = f'axis="{vector(rng)}"' if kind != "ball" else ""
    return f'<joint type="{kind}" pos="{vector(rng)}" {axis} {angle} {extra}/>'


def random_joints(rng, n):
    """MuJoCo takes no rotation after a ball"""
    if n and rng.random() < 0.2:
        return random_joint(rng, ["slide"]) * (n - 1) + random_joint(rng, ["ball"])
    return "".join(random_joint(rng, ["hinge", "slide"]) for _ in range(n))


def random_body(rng, depth=0):
    inner = random_geom(rng) * int(rng.integers(1, 3))
    if rng.random() < 0.3:
        inner += random_inertial(rng)
    free = depth == 0 and rng.random() < 0.4
    inner += "<freejoint/>" if free else random_joints(rng, int(rng.integers(0 if depth else 1, 4)))
    children = "".join(random_body(rng, depth + 1) for _ in range(rng.integers(0, 3) if depth < 3 else 0))
    if rng.random() < 0.3:
        children = (
            f'<frame pos="{vector(rng)}" {orientation(rng)} childclass="heavy">{children}{random_geom(rng)}</frame>'
        )
    name = f"b{rng.integers(1 << 60)}"
    kind = rng.choice(["", 'childclass="stiff"'])
    return f'<body name="{name}" pos="{vector(rng)}" {orientation(rng)} {kind}>{inner}{children}</body>'


def random_text(seed):
    rng = np.random.default_rng(seed)
    order = rng.choice(["xyz", "ZYX", "xYz", "zxz"])
    angle = rng.choice(["degree", "radian"])
    bodies = "".join(random_body(rng) for _ in range(rng.integers(1, 3)))
    return f"""<mujoco model="random">
    <compiler angle="{angle}" eulerseq="{order}" inertiafromgeom="{rng.choice(["auto", "true"])}"/>
    <option gravity="{vector(rng, 3, 9)}"/>
    <default><geom density="800"/><default class="heavy"><geom density="3000"/></default>
    <default class="stiff"><joint stiffness="3" armature="0.05"/><geom mass="0.4"/></default></default>
    <worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>"""


LOOP = """<mujoco><worldbody>
<body name="crank" euler="0 10 0"><joint name="a" axis="0 1 0"/><geom size=".1" pos="1 0 0"/>
<body name="rod" pos="1 0 0" euler="0 20 30"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/>
<site name="tip" pos="2 0 0" euler="0 0 45"/></body></body>
<body name="lever" pos="3 0 0" euler="0 70 0"><joint name="c" axis="0 1 0"/><geom size=".1" pos="0 0 1"/>
<site name="end" pos="0 0 2" euler="40 0 45"/></body></worldbody><equality>{}</equality></mujoco>"""
EQUALITIES = {
    "connect": '<connect body1="rod" body2="lever" anchor="2 0.1 0"/>',
    "connect to world": '<connect body1="rod" anchor="2 0 0"/>',
    "connect world": '<connect body1="world" body2="rod" anchor="2 0 0"/>',
    "connect sites": '<connect site1="tip" site2="end"/>',
    "weld": '<weld body1="rod" body2="lever"/>',
    "weld to world": '<weld body1="rod"/>',
    "weld at": '<weld body1="rod" body2="lever" relpose="2 0.1 0.2 0.5 0.5 -0.5 0.5"/>',
    "weld at world": '<weld body1="rod" relpose="2 0.1 0.2 0.5 0.5 -0.5 0.5"/>',
    "weld world at": '<weld body1="world" body2="rod" relpose="2 0.1 0.2 0.5 0.5 -0.5 0.5"/>',
    "weld anchor": '<weld body1="rod" body2="lever" anchor="0.3 -0.2 0.1"/>',
    "weld anchor at": '<weld body1="rod" body2="lever" anchor=".3 -.2 .1" relpose="2 .1 .2 .5 .5 -.5 .5"/>',
    "weld anchor at world": '<weld body1="rod" anchor="0.3 -0.2 0.1" relpose="2 0.1 0.2 0.8 0.6 0 0"/>',
    "weld world anchor at": '<weld body1="world" body2="rod" anchor=".3 -.2 .1" relpose="2 .1 .2 .8 0 -.6 0"/>',
    "weld sites": '<weld site1="tip" site2="end"/>',
}

SERVED = """<mujoco><option timestep="0.002"/>
<default><geom density="600"/><joint damping="0.1"/>
<default class="strong"><general biastype="affine" gainprm="90" biasprm="0 -90 -6"/><position kp="70"/></default>
</default>
<worldbody><body name="a" pos="0 0 1"><joint name="lift" axis="0 1 0" ref="10" actuatorfrcrange="-40 40"/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
<body name="b" pos=".3 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".05"/>
<body name="c"><joint name="ball" type="ball"/><geom size=".05"/></body></body></body></worldbody>
<actuator>
<position name="lifter" joint="lift" kp="400" kv="12" gear="1.5" ctrllimited="true" ctrlrange="-1 1"/>
<velocity name="slider" joint="slide" kv="0.4" forcelimited="true" forcerange="-.3 .3"/>
<general name="bender" class="strong" joint="slide" gear="-2"/>
<motor name="spare" joint="lift" gear="3"/><muscle name="m" joint="lift"/><position name="x" joint="ball"/>
</actuator></mujoco>"""
"""With actuators, some of which are servos."""
