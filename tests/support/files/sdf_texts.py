"""SDF files as text."""

from __future__ import annotations

UNIT = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
AXIS = "<axis><xyz>0 0 1</xyz></axis>"
ENDS = "<parent>base</parent><child>arm</child>"
HINGE = f'<joint name="j" type="revolute">{ENDS}{AXIS}</joint>'
SDF = f"""<sdf version="1.7">
<model name="m">
<link name="base">{UNIT}</link>
<link name="arm"><pose>0 0 1 0 0 0</pose>{UNIT}</link>
{HINGE}
</model></sdf>"""
GEARBOX = f"""<joint name="g" type="gearbox"><parent>base</parent><child>arm</child>{AXIS}
<axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>2</gearbox_ratio>
<gearbox_reference_body>base</gearbox_reference_body></joint></model>"""
