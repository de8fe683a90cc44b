"""The prefix of a mechanism's C: what all its own names begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..symbolic.names import identifier
from .library import whole_library
from .text.environment import template_texts

_HEADERS = (
    "aio alloca assert byteswap complex cpio ctype dirent dlfcn elf endian err errno error execinfo features "
    "fcntl fenv fmtmsg fnmatch ftw getopt glob grp iconv ieee754 inttypes iso646 langinfo libgen limits link "
    "locale malloc math memory monetary mqueue ndbm netdb nl_types obstack paths poll process pthread pty pwd "
    "python regex sched search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint "
    "stdio stdlib stdnoreturn string strings stropts syslog sysexits tar termios tgmath threads time trace uchar "
    "ucontext ulimit unistd utime utmp utmpx values wait wchar wctype windows wordexp "
)
HEADERS = frozenset(_HEADERS.split())
"""Headers of C, POSIX and systems, which files of programs beside PREFIX.h may include."""
APART = "mechanism_"
"""Goes before a name that serves no prefix; nothing else in C begins so."""


def prefix_of(name: str) -> str:
    """The prefix for a mechanism's name: its identifier in small letters, after `mechanism_` where that is taken.

    It is taken where an identifier of what C does not depend on the mechanism begins with it, as `turn_momentum` does
    with that of a mechanism called turn, or where PREFIX.h would be a header of C or of a system.
    """
    prefix = identifier(name).lower()
    return f"{APART}{prefix}" if _taken(prefix) else prefix


def _taken(prefix: str) -> bool:
    if prefix in HEADERS:
        return True
    words = f"{prefix}_", f"{prefix.upper()}_", f"<{prefix}.h>"
    begins = re.compile("|".join(rf"(?<!\w){word}" for word in words))
    return any(any(word in text for word in words) and begins.search(text) for text in _texts())


def _texts() -> Iterator[str]:
    """What C has its names from, beside the mechanism: the C library and the templates."""
    yield from whole_library().values()
    yield from template_texts()
