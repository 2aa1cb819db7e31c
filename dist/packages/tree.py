"""The files of a package that is unpacked below a folder: a script under bin, the program under lib, the demo market under share.

The script finds the other two beside itself, so that the folder may be /usr, a cellar of Homebrew or the folder of a bundle.
"""

from archives import Entry
from project import PACKAGES, demo


def tree(program, top):
    """Returns the entries below `top`, which is empty or ends in a slash."""
    script = "launch.cmd" if program.system == "windows" else "launch.sh"
    name = "parquote.cmd" if program.system == "windows" else "parquote"
    return [
        Entry(f"{top}bin/{name}", PACKAGES / script, True),
        Entry(f"{top}lib/parquote/{program.file_name}", program.stripped, True),
        *(Entry(f"{top}share/parquote/demo/{name}", path) for name, path in demo()),
    ]
