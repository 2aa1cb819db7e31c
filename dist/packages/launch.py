"""Starts the program of this package. Where no other data is named and none is here, it serves the demo market of the package."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# These take PARQUOTE_DATA for a folder that they write to.
WRITING = {"publish", "worker"}


def main():
    program = os.path.join(HERE, "bin", "parquote.exe" if os.name == "nt" else "parquote")
    environment = dict(os.environ)
    if not environment.get("PARQUOTE_DATA") and not os.path.isdir("data/demo") and not WRITING & set(sys.argv[1:]):
        environment["PARQUOTE_DATA"] = os.path.join(HERE, "demo")
    arguments = [program, *sys.argv[1:]]
    if os.name != "nt":
        os.execve(program, arguments, environment)
    # Windows cannot replace a process. Ctrl-C reaches both, and the program decides when it ends.
    child = subprocess.Popen(arguments, env=environment)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    sys.exit(main())
