"""The Homebrew formula, which downloads a program instead of building it: parquote.rb, from the archives that are in a folder.

Usage: homebrew.py FOLDER. A release runs it once more when the archives of all platforms are there.
"""

import pathlib
import sys

from project import DESCRIPTION, LICENSE, PACKAGES, REPOSITORY, VERSION

# Homebrew on Linux has a glibc of its own only where the system's is old, so the static program is downloaded if it is there.
BLOCKS = [
    ("on_macos", "on_arm", ["aarch64-apple-darwin"]),
    ("on_linux", "on_arm", ["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"]),
    ("on_linux", "on_intel", ["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"]),
]


def write(out):
    """Writes the formula and returns its path."""
    blocks = []
    for system, cpu, targets in BLOCKS:
        sums = [(target, out / f"parquote-{target}.tar.gz.sha256") for target in targets]
        found = next(((target, path.read_text().split()[0]) for target, path in sums if path.exists()), None)
        if found:
            address = f"{REPOSITORY}/releases/download/v{VERSION}/parquote-{found[0]}.tar.gz"
            lines = [f"  {system} do", f"    {cpu} do", f'      url "{address}"', f'      sha256 "{found[1]}"', "    end", "  end"]
            blocks.append("\n".join(lines))
    script = "".join(f"      {line}".rstrip() + "\n" for line in (PACKAGES / "launch.sh").read_text().splitlines())
    platforms = "\n\n".join(blocks)
    text = f"""\
class Parquote < Formula
  desc "{DESCRIPTION.removesuffix(', in one binary')}"
  homepage "{REPOSITORY}"
  version "{VERSION}"
  license "{LICENSE}"

{platforms}

  def install
    (lib/"parquote").install "parquote"
    (share/"parquote").install "data/demo"
    (bin/"parquote").write <<~'SH'
{script}    SH
    chmod 0755, bin/"parquote"
  end

  test do
    assert_match "stocks", shell_output("#{{bin}}/parquote query market/momentum limit=1")
  end
end
"""
    path = out / "parquote.rb"
    path.write_bytes(text.encode())
    return [path]


if __name__ == "__main__":
    print(write(pathlib.Path(sys.argv[1]))[0])
