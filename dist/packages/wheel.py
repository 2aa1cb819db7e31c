"""The Python wheel: the program, the demo market and a script that starts the program. No Python code is compiled, so that one wheel a
platform serves every Python 3.
"""

import base64
import hashlib

from archives import Entry, write_zip
from project import DESCRIPTION, LICENSE, NAME, PACKAGES, REPOSITORY, ROOT, VERSION, demo, readme


def tags(program):
    """Returns the platform tags: the oldest systems that the program runs on."""
    cpu = program.cpu
    if program.libc == "musl":
        # A static program runs on every Linux. pip prefers the newest manylinux tag, so the wheel of glibc wins where it runs.
        return [f"manylinux2014_{cpu}", f"manylinux_2_17_{cpu}", f"musllinux_1_1_{cpu}"]
    if program.libc == "gnu":
        return ["manylinux_{}_{}_{}".format(*program.glibc, cpu)]
    if program.system == "darwin":
        return ["macosx_{}_{}_{}".format(*program.macos, "arm64" if cpu == "aarch64" else cpu)]
    return ["win_arm64" if cpu == "aarch64" else "win_amd64"]


def write(program, out, level):
    """Writes the wheel and returns its path."""
    platform = tags(program)
    info = f"{NAME}-{VERSION}.dist-info"
    metadata = f"""\
Metadata-Version: 2.4
Name: {NAME}
Version: {VERSION}
Summary: {DESCRIPTION}
License-Expression: {LICENSE}
License-File: LICENSE
Requires-Python: >=3.8
Project-URL: Repository, {REPOSITORY}
Description-Content-Type: text/markdown

{readme()}"""
    lines = "".join(f"Tag: py3-none-{tag}\n" for tag in platform)
    wheel = f"Wheel-Version: 1.0\nGenerator: dist/pack\nRoot-Is-Purelib: false\n{lines}"
    entries = [
        Entry("parquote/__init__.py", f'"""{DESCRIPTION}."""\n\n__version__ = "{VERSION}"\n'),
        Entry("parquote/__main__.py", PACKAGES / "launch.py"),
        Entry(f"parquote/bin/{program.file_name}", program.stripped, True),
        *(Entry(f"parquote/demo/{name}", path) for name, path in demo()),
        Entry(f"{info}/METADATA", metadata),
        Entry(f"{info}/WHEEL", wheel),
        Entry(f"{info}/entry_points.txt", "[console_scripts]\nparquote = parquote.__main__:main\n"),
        Entry(f"{info}/licenses/LICENSE", ROOT / "LICENSE"),
    ]
    record = "".join(f"{entry.name},sha256={digest(entry.read())},{len(entry.read())}\n" for entry in entries)
    entries.append(Entry(f"{info}/RECORD", f"{record}{info}/RECORD,,\n"))
    path = out / f"{NAME}-{VERSION}-py3-none-{'.'.join(platform)}.whl"
    write_zip(path, entries, level)
    return [path]


def digest(content):
    """Returns a SHA-256 as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
