"""Archives whose bytes depend on their content alone: fixed times and owners, entries in the order in which they are given."""

import dataclasses
import gzip
import io
import pathlib
import stat
import tarfile
import zipfile


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file of an archive: its name there, and its content as bytes, as text or as the path of a file."""

    name: str
    content: object
    is_executable: bool = False

    def read(self):
        """Returns the content."""
        if isinstance(self.content, pathlib.Path):
            return self.content.read_bytes()
        return self.content.encode() if isinstance(self.content, str) else self.content

    @property
    def mode(self):
        """The permissions."""
        return 0o755 if self.is_executable else 0o644


def write_zip(path, entries, level):
    """Writes a zip archive. Permissions are those of Unix, also when Windows writes it."""
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | entry.mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entry.read(), compresslevel=level)


def tar(entries, folders=(), owners=()):
    """Returns a tar archive as bytes: with `folders` as (name, mode) first, and owners by name where not root."""
    content, owners = io.BytesIO(), dict(owners)
    with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, mode in folders:
            info = tarfile.TarInfo(name)
            info.type, info.mode = tarfile.DIRTYPE, mode
            info.uid = info.gid = owners.get(name, 0)
            archive.addfile(info)
        for entry in entries:
            info, data = tarfile.TarInfo(entry.name), entry.read()
            info.mode, info.size = entry.mode, len(data)
            archive.addfile(info, io.BytesIO(data))
    return content.getvalue()


def parents(entries):
    """Returns the folders of entries as (name, mode), each before what is in it."""
    names = {parent.as_posix() for entry in entries for parent in pathlib.PurePosixPath(entry.name).parents}
    return [(name, 0o755) for name in sorted(names - {"."})]


def compressed(content, level):
    """Returns gzip-compressed content, without a time."""
    return gzip.compress(content, level, mtime=0)
