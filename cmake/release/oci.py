#!/usr/bin/env python3
"""Writes an image in the OCI layout as one tar file: oci.py FILE VERSION MACHINE=ROOT...

Each machine (x86_64, aarch64) has an image of two layers: the files of Debian, and those of gputide.  An index has all images.
The same roots give the same bytes: order, owners and times of files are fixed (SOURCE_DATE_EPOCH).

    skopeo copy --all oci-archive:gputided-0.3.0.oci.tar docker://registry.example/gputided:0.3.0
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import time
from pathlib import Path

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OWN = ("usr/bin/gputided", "usr/lib/libgputide", "usr/share/doc/gputide")
MEDIA = "application/vnd.oci.image."


def entry_of(name: str, file: Path | None, data: bytes = b"") -> tarfile.TarInfo:
    """Returns the header of a file, or of a text without a file."""
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.size, entry.mode = EPOCH, len(data), 0o644
    if file is not None:
        status = file.lstat()
        entry.mode = status.st_mode & 0o7777
        if file.is_symlink():
            entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(file)
        elif file.is_dir():
            entry.type = tarfile.DIRTYPE
    return entry


def layer_of(root: Path, own: bool) -> bytes:
    """Returns the tar file of gputide's own files of a root, or of all others, with the folders that they are in."""
    files = sorted(path for path in root.rglob("*"))
    chosen = {path for path in files if not path.is_dir() or path.is_symlink()}
    chosen = {path for path in chosen if path.relative_to(root).as_posix().startswith(OWN) == own}
    folders = {parent for path in chosen for parent in path.parents if root in parent.parents}
    if not own:
        folders |= {path for path in files if path.is_dir() and not path.is_symlink() and not any(path.iterdir())}  # /tmp
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(chosen | folders):
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            archive.addfile(entry_of(path.relative_to(root).as_posix(), path, data), io.BytesIO(data))
    return out.getvalue()


class Layout:
    """The blobs of an image layout."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}

    def add(self, data: bytes, media: str, **more: object) -> dict[str, object]:
        """Keeps a blob; returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return {"mediaType": MEDIA + media, "digest": f"sha256:{digest}", "size": len(data), **more}

    def add_json(self, value: object, media: str, **more: object) -> dict[str, object]:
        return self.add(json.dumps(value, separators=(",", ":")).encode(), media, **more)

    def write(self, file: Path, index: dict[str, object]) -> None:
        files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}', "index.json": json.dumps(index).encode()}
        files |= {f"blobs/sha256/{digest}": data for digest, data in sorted(self.blobs.items())}
        with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as archive:
            for name, data in files.items():
                archive.addfile(entry_of(name, None, data), io.BytesIO(data))


def add_image(layout: Layout, machine: str, root: Path, labels: dict[str, str]) -> dict[str, object]:
    """Adds the image of a root; returns the descriptor of its manifest."""
    tars = [layer_of(root, own) for own in (False, True)]
    layers = [layout.add(gzip.compress(data, 9, mtime=0), "layer.v1.tar+gzip") for data in tars]
    platform = {"architecture": ARCHITECTURES[machine], "os": "linux"}
    config = {
        "created": CREATED,
        **platform,
        "config": {"User": "65532:65532", "Entrypoint": ["/usr/bin/gputided"], "WorkingDir": "/", "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(data).hexdigest()}" for data in tars]},
        "history": [{"created": CREATED, "created_by": part} for part in ("Debian's libraries", "gputided")],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": MEDIA + "manifest.v1+json",
        "config": layout.add_json(config, "config.v1+json"),
        "layers": layers,
        "annotations": labels,
    }
    return layout.add_json(manifest, "manifest.v1+json", platform=platform)


def main() -> None:
    file, version, *roots = sys.argv[1:]
    labels = {
        "org.opencontainers.image.title": "gputided",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.source": "https://github.com/gputide/gputide",
        "org.opencontainers.image.created": CREATED,
    }
    layout = Layout()
    images = [add_image(layout, machine, Path(root), labels) for machine, root in (text.split("=", 1) for text in roots)]
    index = {"schemaVersion": 2, "mediaType": MEDIA + "index.v1+json"}
    names = {"org.opencontainers.image.ref.name": version}
    top = layout.add_json({**index, "manifests": images}, "index.v1+json", annotations=names)
    layout.write(Path(file), {**index, "manifests": [top]})


main()
