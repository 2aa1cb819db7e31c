"""The facts that all packages share: what Cargo.toml says, and the platforms of a release.

Cargo.toml is the only place of the name, version, license and address of the repository; nothing here repeats them.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "dist" / "packages"
CARGO = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
# Used in packages that nobody publishes, while Cargo.toml has no repository.
SAMPLE_REPOSITORY = "https://git.example.com/owner/parquote"
# The targets of a release; the matrix of .github/workflows/release.yml has the same.
TARGETS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
]


def cargo(key):
    """Returns the first value of a key in Cargo.toml, or None. (Python 3.10 has no TOML reader.)"""
    found = re.search(rf'^{key} = "(.*)"$', CARGO, re.MULTILINE)
    return found and found[1]


NAME, VERSION, LICENSE, DESCRIPTION = (cargo(key) for key in ("name", "version", "license", "description"))
# Cargo.toml may name authors.
MAINTAINER = next(iter(re.findall(r'^authors = \["(.*?)"', CARGO, re.MULTILINE)), "The authors of Parquote")
HAS_REPOSITORY = cargo("repository") is not None
REPOSITORY = cargo("repository") or SAMPLE_REPOSITORY


def readme():
    """Returns README.md for the page of a registry, where relative links and pictures would lead nowhere."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{REPOSITORY}/raw/v{VERSION}/", text)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!https?:|#)", rf"\1{REPOSITORY}/blob/v{VERSION}/", text)


def demo():
    """Returns the files of the demo market as pairs of a relative name and a path, without what a server left there."""
    folder = ROOT / "data" / "demo"
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    kept = [name for name in names if not re.search(r"(^|/)\.|refused\.csv\.gz$", name)]
    return [(name, folder / name) for name in kept]
