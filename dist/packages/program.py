"""The built program: its target, read from the file itself, and its bytes without symbols.

Reading the file instead of running it lets a machine pack a program that it cannot run.
"""

import functools
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

ELF_CPUS = {62: "x86_64", 183: "aarch64"}
MACHO_CPUS = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
PE_CPUS = {0x8664: "x86_64", 0xAA64: "aarch64"}
# The load command of a Mach-O file that names the oldest system it runs on.
LC_BUILD_VERSION = 0x32


class Program:
    """A built binary. `cpu`, `system` (linux, darwin, windows) and `libc` (gnu, musl or None) make its target."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        content = self.path.read_bytes()
        # The oldest macOS that it runs on, as (major, minor), and the newest glibc that it needs.
        self.macos, self.glibc, self.libc = None, None, None
        if content[:5] == b"\x7fELF\x02":
            self.system, self.cpu = "linux", ELF_CPUS[struct.unpack_from("<H", content, 18)[0]]
            self.libc = "gnu" if re.search(rb"\0/lib(64)?/ld-linux[^\0]*\0", content) else "musl"
            if self.libc == "gnu":
                self.glibc = max((2, int(minor)) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", content))
        elif content[:4] == b"\xcf\xfa\xed\xfe":
            self.system, self.cpu = "darwin", MACHO_CPUS[struct.unpack_from("<I", content, 4)[0]]
            self.macos = oldest_macos(content)
        elif content[:2] == b"MZ":
            header = struct.unpack_from("<I", content, 0x3C)[0]
            self.system, self.cpu = "windows", PE_CPUS[struct.unpack_from("<H", content, header + 4)[0]]
        else:
            raise SystemExit(f"{path} is not a program of Linux, macOS or Windows")

    @property
    def target(self):
        """The name of the target in Rust."""
        end = {"linux": f"unknown-linux-{self.libc}", "darwin": "apple-darwin", "windows": "pc-windows-msvc"}
        return f"{self.cpu}-{end[self.system]}"

    @property
    def file_name(self):
        """The name of the program's file."""
        return "parquote.exe" if self.system == "windows" else "parquote"

    @functools.cached_property
    def stripped(self):
        """The content without symbols, a quarter smaller. Only ELF: on macOS stripping would break the signature."""
        if self.system == "linux" and shutil.which("strip"):
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / "parquote"
                # The strip of this machine may not know another machine's format.
                if subprocess.run(["strip", "-o", copy, self.path], capture_output=True).returncode == 0:
                    return copy.read_bytes()
        return self.path.read_bytes()


def oldest_macos(content):
    """Returns the oldest macOS of a Mach-O file as (major, minor)."""
    at = 32
    for _ in range(struct.unpack_from("<I", content, 16)[0]):
        command, size = struct.unpack_from("<II", content, at)
        if command == LC_BUILD_VERSION:
            version = struct.unpack_from("<I", content, at + 12)[0]
            return (version >> 16, version >> 8 & 0xFF)
        at += size
    return (11, 0)
