"""The container image, as an archive that `docker load`, `podman load` and `skopeo copy oci-archive:` read. No engine is needed to make it.

It has the program, the demo market and the certificates of authorities, and nothing else. A static program needs no more; for a program
of glibc the libraries of this machine are added, which is for tries: release images are made from the static program.
"""

import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess

from archives import Entry, compressed, tar
from project import NAME, REPOSITORY, ROOT, VERSION, demo

CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
CPUS = {"x86_64": "amd64", "aarch64": "arm64"}
HOME = "/var/lib/parquote"
# As in dist/Containerfile: a user without rights, by its number.
USER = 10001


def libraries(program):
    """Returns the shared libraries of a program, with its loader; none if it is static, or if it is another machine's."""
    if program.libc != "gnu" or not shutil.which("ldd"):
        return []
    listed = subprocess.run(["ldd", program.path], capture_output=True, text=True).stdout
    return [pathlib.Path(found) for found in re.findall(r"(/\S+) \(0x", listed)]


def layer(program):
    """Returns the file system of the image as a tar archive."""
    entries = [
        Entry("usr/bin/parquote", program.stripped, True),
        Entry("etc/passwd", f"root:x:0:0:root:/root:/sbin/nologin\n{NAME}:x:{USER}:{USER}::{HOME}:/sbin/nologin\n"),
        *(Entry(f"usr/share/parquote/demo/{name}", path) for name, path in demo()),
    ]
    if CERTIFICATES.exists():
        entries.append(Entry(CERTIFICATES.as_posix().lstrip("/"), CERTIFICATES))
    entries += [Entry(path.as_posix().lstrip("/"), path, True) for path in libraries(program)]
    own = [HOME.lstrip("/"), *(f"{HOME.lstrip('/')}/{name}" for name in ("data", "raw", "state"))]
    folders = [("tmp", 0o1777), ("proc", 0o755), ("var", 0o755), ("var/lib", 0o755), *((name, 0o755) for name in own)]
    return tar(entries, folders, {name: USER for name in own})


def config(program, diff_id):
    """Returns the configuration: settings and ports are those of dist/Containerfile."""
    containerfile = (ROOT / "dist" / "Containerfile").read_text(encoding="utf-8")
    settings = re.findall(r"^(?:ENV|   ) (PARQUOTE_[A-Z_]+=\S+)", containerfile, re.MULTILINE)
    return {
        "architecture": CPUS[program.cpu],
        "os": "linux",
        "created": datetime.datetime.fromtimestamp(0, datetime.timezone.utc).isoformat(),
        "config": {
            "User": str(USER),
            "Env": ["PATH=/usr/bin", *settings],
            "Entrypoint": ["/usr/bin/parquote"],
            "Cmd": ["serve"],
            "WorkingDir": HOME,
            "Volumes": {HOME: {}},
            "ExposedPorts": {"8080/tcp": {}},
            "Labels": {"org.opencontainers.image.source": REPOSITORY, "org.opencontainers.image.version": VERSION},
        },
        "rootfs": {"type": "layers", "diff_ids": [diff_id]},
    }


def write(program, out, level):
    """Writes the archive and returns its path; for Linux only, and not without the libraries that the program needs."""
    if program.system != "linux" or (program.libc == "gnu" and not libraries(program)):
        return []
    content = layer(program)
    packed = compressed(content, level)
    settings = json.dumps(config(program, f"sha256:{sha256(content)}")).encode()
    kind = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{kind}.manifest.v1+json",
        "config": described(f"{kind}.config.v1+json", settings),
        "layers": [described(f"{kind}.layer.v1.tar+gzip", packed)],
    }
    manifest_text = json.dumps(manifest).encode()
    name = f"{NAME}:{VERSION}"
    index = {
        "schemaVersion": 2,
        "mediaType": f"{kind}.index.v1+json",
        "manifests": [
            {
                **described(f"{kind}.manifest.v1+json", manifest_text),
                "annotations": {"io.containerd.image.name": f"docker.io/library/{name}", "org.opencontainers.image.ref.name": VERSION},
            }
        ],
    }
    # What `docker load` reads where Docker has no store of OCI images.
    docker = [{"Config": blob(settings), "RepoTags": [name], "Layers": [blob(packed)]}]
    entries = [
        *(Entry(blob(each), each) for each in (settings, packed, manifest_text)),
        Entry("index.json", json.dumps(index)),
        Entry("manifest.json", json.dumps(docker)),
        Entry("oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"})),
    ]
    path = out / f"{NAME}-{VERSION}-image-{CPUS[program.cpu]}.tar"
    path.write_bytes(tar(entries, [("blobs", 0o755), ("blobs/sha256", 0o755)]))
    return [path]


def sha256(content):
    """Returns a digest as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def blob(content):
    """Returns the name of content in the archive."""
    return f"blobs/sha256/{sha256(content)}"


def described(media_type, content):
    """Returns a descriptor of content."""
    return {"mediaType": media_type, "digest": f"sha256:{sha256(content)}", "size": len(content)}
