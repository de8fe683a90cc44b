"""A web server of viser on this machine, quiet and for nobody else unless told."""

from __future__ import annotations

import contextlib
import io
import socket
from typing import TYPE_CHECKING

from ..arguments import as_count
from ..errors import ModelError, shown

if TYPE_CHECKING:
    from viser import ViserServer


def open_server(name: str, host: str, port: int) -> ViserServer:
    """A server with an empty scene, labelled `name`. `port` 0: one that is free.

    ModelError where viser is not installed or nothing can listen there.
    """
    _require_free(host, as_count("port", port, least=0))
    with contextlib.redirect_stdout(io.StringIO()):  # viser tells its address; ours is in `Viewer.url`
        server = _local_server()(host=host, port=port, label=name, verbose=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
    return server


def close_server(server: ViserServer) -> None:
    """Ends its threads."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def _local_server() -> type[ViserServer]:
    """viser's server without its tunnel to a public address, which any page that reaches the server could ask for."""
    try:
        import viser
    except ImportError as error:
        raise ModelError("view: the viewer needs the package 'viser': pip install 'kinegen[view]'") from error

    class Local(viser.ViserServer):
        def request_share_url(self, verbose: bool = True) -> str | None:
            return None

    return Local


def _require_free(host: str, port: int) -> None:
    """viser would take another port, or wait forever for a host that is none."""
    if not isinstance(host, str) or port > 65535:
        raise ModelError(f"view: expected a host name and a port up to 65535, got {shown(host)}, {shown(port)}")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as found:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
    except (OSError, ValueError) as error:  # ValueError: names that no host has
        raise ModelError(
            f"view: cannot listen on {shown(host)}, port {port} ({error}); leave out host and port"
        ) from None
