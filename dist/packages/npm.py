"""The npm packages: `parquote` has a script and the demo market; `@parquote/SYSTEM-CPU` has the program of one platform, which npm
chooses by the fields `os` and `cpu`. Only the second differs between platforms.

The platform packages are in a scope, because npm takes many unscoped packages with similar names for spam.
"""

import json

from archives import Entry, compressed, tar
from project import DESCRIPTION, LICENSE, NAME, PACKAGES, REPOSITORY, ROOT, TARGETS, VERSION, demo, readme

SYSTEMS = {"linux": "linux", "apple": "darwin", "pc": "win32"}
CPUS = {"x86_64": "x64", "aarch64": "arm64"}


def platform(target):
    """Returns a platform in the words of Node, such as ("linux", "x64"). The static program serves both kinds of Linux."""
    cpu, vendor, *rest = target.split("-")
    return SYSTEMS[rest[0] if rest[0] == "linux" else vendor], CPUS[cpu]


def write(program, out, level):
    """Writes both packages and returns their paths."""
    system, cpu = platform(program.target)
    shared = {"version": VERSION, "license": LICENSE, "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}}
    platforms = sorted({"-".join(platform(target)) for target in TARGETS})
    main = {
        "name": NAME,
        "description": DESCRIPTION,
        **shared,
        "bin": {NAME: "bin/parquote.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {f"@{NAME}/{each}": VERSION for each in platforms},
    }
    its = {
        "name": f"@{NAME}/{system}-{cpu}",
        "description": f"The program of the package {NAME} for {system} {cpu}",
        **shared,
        "os": [system],
        "cpu": [cpu],
        # Yarn would leave the program in an archive, from which it cannot be started.
        "preferUnplugged": True,
    }
    main_entries = [
        Entry("bin/parquote.js", PACKAGES / "launch.js", True),
        Entry("README.md", readme()),
        *(Entry(f"demo/{name}", path) for name, path in demo()),
    ]
    its_entries = [
        Entry(f"bin/{program.file_name}", program.stripped, True),
        Entry("README.md", f"The program of the package [{NAME}](https://www.npmjs.com/package/{NAME}) for {system} {cpu}.\n"),
    ]
    paths = []
    for package, entries in ((main, main_entries), (its, its_entries)):
        own = [Entry("package.json", json.dumps(package, indent=2) + "\n"), Entry("LICENSE", ROOT / "LICENSE")]
        entries = [Entry(f"package/{entry.name}", entry.content, entry.is_executable) for entry in own + entries]
        path = out / f"{package['name'].lstrip('@').replace('/', '-')}-{VERSION}.tgz"
        path.write_bytes(compressed(tar(entries), level))
        paths.append(path)
    return paths
