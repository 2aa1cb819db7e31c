"""The archive that `cargo binstall` and the Homebrew formula download: parquote-TARGET.tar.gz with its checksum.

Usage: tarball.py PROGRAM TARGET FOLDER LEVEL. The archive has the demo market where the program looks for it, so that `./parquote` in
the unpacked folder serves it.
"""

import hashlib
import pathlib
import sys

from archives import Entry, compressed, parents, tar
from program import Program
from project import ROOT, demo

TEXTS = ("README.md", "LICENSE", "CHANGELOG.md")


def write(program, out, level, target=None):
    """Writes the archive and its checksum, and returns the path of the archive."""
    top = f"parquote-{target or program.target}"
    entries = [Entry(f"{top}/{program.file_name}", program.stripped, True)]
    entries += [Entry(f"{top}/{name}", ROOT / name) for name in TEXTS]
    entries += [Entry(f"{top}/data/demo/{name}", path) for name, path in demo()]
    archive = out / f"{top}.tar.gz"
    archive.write_bytes(compressed(tar(entries, parents(entries)), level))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (out / f"{archive.name}.sha256").write_bytes(f"{digest}  {archive.name}\n".encode())
    return [archive]


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    print(write(Program(sys.argv[1]), folder, int(sys.argv[4]), sys.argv[2])[0].as_posix())
