"""A viewer is served to this machine, moves by itself, says what fails, and ends when it is closed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.runtime.viewer.controls import Message, notes
from kinegen.runtime.viewer.server import close_server, is_own_page, open_server

MAIN = """
import signal, sys
from kinegen.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is ignored where the tests run in the background
sys.exit(main())
"""
EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM, FOURBAR = EXAMPLES / "double_pendulum.urdf", EXAMPLES / "fourbar.toml"


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it holds within half a minute."""
    end = time.monotonic() + 30.0
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def other_address() -> str:
    """Another address of this machine, at which a server for all networks would answer."""
    return "127.0.0.2"


def test_it_serves_this_machine_alone_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    before = threading.active_count()
    with kg.view(FOURBAR) as viewer:
        assert viewer.url == f"http://127.0.0.1:{viewer.port}" and opened == [viewer.url]
        with urllib.request.urlopen(viewer.url) as page:
            assert b"<html" in page.read(2000).lower()
        html = viewer._repr_html_()
        assert html is not None and viewer.url in html and repr(viewer) == f"Viewer('fourbar', {viewer.url})"
        with pytest.raises(OSError), socket.create_connection((other_address(), viewer.port), timeout=5):
            pass
    assert viewer.closed and viewer._repr_html_() is None and repr(viewer) == "Viewer('fourbar', closed)"
    viewer.close()  # once more is nothing
    viewer.wait()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(viewer.url)
    assert eventually(lambda: threading.active_count() <= before)


def test_it_moves_by_itself_and_leaves_the_simulator_where_it_is() -> None:
    simulator = kg.Simulator(PENDULUM, q=[1.0, 0.0], wrenches={"lower": [0.1, 0, 0, 0, 0, 0]})
    with kg.view(simulator, browser=False):
        assert eventually(lambda: simulator.t > 0.05)
    t, q = simulator.t, simulator.q
    assert simulator.wrenches == {"lower": [0.1, 0, 0, 0, 0, 0]}
    twin = kg.Simulator(PENDULUM, q=[1.0, 0.0], wrenches={"lower": [0.1, 0, 0, 0, 0, 0]})
    twin.step(round(t / simulator.dt))
    assert (twin.q == q).all() and simulator.t == t


def test_what_a_controller_raises_is_said_and_the_viewer_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    def tau(t: float, q: object, v: object) -> list[float]:
        if t > 0.01:
            raise RuntimeError("no more torque")
        return [0.0, 0.0]

    simulator = kg.Simulator(PENDULUM, tau=tau)
    with kg.view(simulator, browser=False) as viewer:
        show = viewer._show
        assert eventually(lambda: "no more torque" in show.message.text)  # type: ignore[attr-defined]
        assert not show.playing and not viewer.closed  # type: ignore[attr-defined]
    assert "RuntimeError" in capsys.readouterr().err


def test_scenes_libraries_and_motions_are_shown(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    shutil.copy(PENDULUM, tmp_path / "arm.urdf")
    scene.write_text('model = "arm.urdf"\nduration = 0.1\n')
    library = kg.TopologyLibrary(kg.load(PENDULUM), [kg.Connection("hold", "lower", "world", kg.spherical())])
    motion = kg.Simulator(PENDULUM).run(0.01)
    shown = []
    for what in (library, motion, kg.compile(PENDULUM), scene):
        with kg.view(what, browser=False) as viewer:
            shown.append(type(viewer._show).__name__)
    assert shown == ["Live", "Played", "Posed", "Live"]


def test_what_cannot_be_served_is_told_by_name(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(kg.ModelError, match=r"view: cannot listen on '127\.0\.0\.1', port \d+ .*in use.*leave out"):
            kg.view(FOURBAR, port=taken.getsockname()[1], browser=False)
    for host in ("nowhere.invalid", "a\0b", "ä" * 70):
        with pytest.raises(kg.ModelError, match="view: cannot listen on"):
            kg.view(FOURBAR, host=host, browser=False)
    for wrong in ({"port": -1}, {"port": 70_000}, {"port": 1.5}, {"host": 3}, {"browser": "yes"}):
        with pytest.raises(kg.ModelError):
            kg.view(FOURBAR, **wrong)  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match="view: what: expected"):
        kg.view(3)  # type: ignore[arg-type]
    kg.Simulator(PENDULUM).run(0.01).save(tmp_path / "m.npz")
    with pytest.raises(kg.ModelError, match="view: the trajectory has no model"):
        kg.view(kg.Trajectory.load(tmp_path / "m.npz"), browser=False)


OWN = [("http://127.0.0.1:80", True), ("http://localhost:80", False), ("http://evil.example", False), (None, True)]


@pytest.mark.parametrize(("origin", "own"), OWN)
def test_pages_from_elsewhere_are_refused(origin: str | None, own: bool) -> None:
    """A browser says from which page a connection comes; one from elsewhere is told nothing and closed."""
    with kg.view(FOURBAR, browser=False) as viewer:
        told = origin and origin.replace(":80", f":{viewer.port}")
        protocol = Subprotocol(f"viser-v{viser.__version__}")
        address = viewer.url.replace("http", "ws")
        with connect(address, origin=Origin(told) if told else None, subprotocols=[protocol], max_size=None) as client:
            if own:
                assert client.recv(timeout=30) != b""
            else:
                with pytest.raises(ConnectionClosed, match="1008"):
                    client.recv(timeout=30)


def test_names_that_lead_here_are_no_names_of_this_machine() -> None:
    """What is asked for and where the page comes from agree where a stranger's name was made to lead to 127.0.0.1."""
    assert is_own_page("http://evil.example:8080", "evil.example:8080", loopback=False)
    assert not is_own_page("http://evil.example:8080", "evil.example:8080", loopback=True)
    assert is_own_page("http://[::1]:8080", "[::1]:8080", loopback=True)
    assert not is_own_page("http://[", "[", loopback=True) and not is_own_page("null", None, loopback=True)


def test_names_are_text() -> None:
    server = open_server("<b>m</b>", "127.0.0.1", 0)
    try:
        message = Message(server)
        message.say("<img src=x onerror=alert(1)>")
        assert "<img" not in message._html.content and "&lt;img" in message._html.content
        notes(server, ["<script>1</script>"])
        contents = [
            getattr(handle, "content", "")
            for handle in server.gui._container_handle_from_uuid["root"]._children.values()
        ]
        assert any("&lt;script&gt;" in text for text in contents) and not any("<script>" in text for text in contents)
        assert server.request_share_url() is None
    finally:
        close_server(server)


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    kg.Simulator(PENDULUM, q=[1.0, 0.0]).run(0.1).save(tmp_path / "m.npz")
    command = [sys.executable, "-c", MAIN, "view", str(PENDULUM), str(tmp_path / "m.npz"), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+): open it in a browser", line)
        assert found, line + process.stderr.read()
        with urllib.request.urlopen(found[1]) as page:
            assert page.status == 200
        os.kill(process.pid, signal.SIGINT)
        try:
            assert process.wait(60) == 0 and process.stderr.read() == ""
        finally:
            process.kill()


def test_what_the_command_cannot_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["view", "m.npz", "--no-browser"]) == 2
    assert "kinegen view MODEL m.npz" in capsys.readouterr().err
    assert run(["view", str(EXAMPLES / "somersault.toml"), "--root", "free", "--no-browser"]) == 2
    assert "leave out --root" in capsys.readouterr().err
