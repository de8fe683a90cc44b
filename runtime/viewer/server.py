"""A web server of viser on this machine, quiet and for nobody else unless told."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import socket
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..animation.page import page_file
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
    _refuse_strangers(server, _is_loopback(host))
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
    return server


def close_server(server: ViserServer) -> None:
    """Ends its threads."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()
    server._kinegen_folder.cleanup()


def _local_server() -> type[ViserServer]:
    """viser's server with the page of `_page`, and without its tunnel to a public address, which any page that reaches
    the server could ask for.
    """
    try:
        import viser
    except ImportError as error:
        raise ModelError("view: the viewer needs the package 'viser': pip install 'kinegen[view]'") from error

    class Local(viser.ViserServer):
        def __setattr__(self, name: str, value: Any) -> None:
            if name == "_websock_server":  # which does not listen yet
                self._kinegen_folder = TemporaryDirectory(prefix="kinegen-view-")
                page = Path(self._kinegen_folder.name) / "index.html"
                page.write_text(_page(value._http_server_root / "index.html"), encoding="utf-8")
                value._http_server_root = page.parent
            super().__setattr__(name, value)

        def request_share_url(self, verbose: bool = True) -> str | None:
            return None

    return Local


def _page(path: Path) -> str:
    """viser's page, which first looks whether it is drawn without a graphics processor: see page/cheap.js."""
    text = path.read_text(encoding="utf-8")
    cheap = (files("kinegen.runtime.viewer") / "page" / "cheap.js").read_text(encoding="utf-8")
    return text.replace("<head>", f"<head>\n<script>{{{page_file('software.js')}{cheap}}}</script>", 1)


def _refuse_strangers(server: ViserServer, loopback: bool) -> None:
    """Closes connections that a page from elsewhere opens: browsers let any page connect to any address, and say from
    where it comes. viser does not look; its public interface does not tell either.
    """
    sockets = server._websock_server

    async def look(connection: Any) -> None:
        live = sockets._live_connections[connection.client_id]
        headers = live.request.headers if live.request else {}
        if not is_own_page(headers.get("Origin"), headers.get("Host"), loopback):
            await live.close(1008, "a page from elsewhere")

    sockets.on_client_connect(look)


def is_own_page(origin: str | None, host: str | None, loopback: bool) -> bool:
    """Whether a page that this server gave asks: it comes from where it connects to, or does not say, as programs do.

    With `loopback` that must be a name of this machine itself: others can be made to lead here.
    """
    if origin is None:
        return True
    try:
        came, asked = urlsplit(origin), urlsplit(f"//{host}")
        return came.netloc == asked.netloc and (not loopback or _is_loopback(asked.hostname or ""))
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
