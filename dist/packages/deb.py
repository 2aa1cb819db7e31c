"""The Debian package: /usr/bin/parquote, the demo market, and the units of systemd, which nobody starts before an administrator does."""

from archives import Entry, compressed, parents, tar
from project import DESCRIPTION, LICENSE, MAINTAINER, NAME, REPOSITORY, ROOT, VERSION
from tree import tree

CPUS = {"x86_64": "amd64", "aarch64": "arm64"}


def write(program, out, level):
    """Writes the package and returns its path; for Linux only."""
    if program.system != "linux":
        return []
    entries = tree(program, "./usr/")
    for unit in sorted((ROOT / "dist").glob("parquote*.*")):
        text = unit.read_text(encoding="utf-8").replace("/usr/local/bin/", "/usr/bin/")
        entries.append(Entry(f"./usr/lib/systemd/system/{unit.name}", text))
    entries.append(Entry(f"./usr/share/doc/{NAME}/copyright", f"License: {LICENSE}\n\n" + (ROOT / "LICENSE").read_text(encoding="utf-8")))
    # A static program needs no library.
    needs = "Depends: libc6 (>= {}.{}), libgcc-s1\n".format(*program.glibc) if program.libc == "gnu" else ""
    cpu = CPUS[program.cpu]
    control = f"""\
Package: {NAME}
Version: {VERSION}
Architecture: {cpu}
Maintainer: {MAINTAINER}
Installed-Size: {sum(len(entry.read()) for entry in entries) // 1024}
{needs}Recommends: ca-certificates
Section: database
Priority: optional
Homepage: {REPOSITORY}
Description: {DESCRIPTION}
 It serves HTTP, tools for language models and pages from Parquet files.
"""
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", compressed(tar([Entry("./control", control)], [("./", 0o755)]), level)),
        ("data.tar.gz", compressed(tar(entries, [("./", 0o755), *((f"./{name}", mode) for name, mode in parents(entries))]), level)),
    ]
    path = out / f"{NAME}_{VERSION}_{cpu}.deb"
    path.write_bytes(b"!<arch>\n" + b"".join(member(name, content) for name, content in members))
    return [path]


def member(name, content):
    """Returns a member of an ar archive."""
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
    return head + content + b"\n" * (len(content) % 2)
