#!/usr/bin/env python3
"""Checks an image of `cmake/release.sh OUT image`: image_test.py FILE

Every digest and size of the layout is that of its blob, no blob is left over, layers have fixed times and owners, and gputided runs
in the root file system of each machine: by chroot on this one, by qemu-user for another.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
FILE = Path(sys.argv.pop())
MANIFEST = Path(__file__).with_name("night.yaml")


def opened(layer: bytes) -> tarfile.TarFile:
    return tarfile.open(fileobj=io.BytesIO(layer))


class Image(unittest.TestCase):
    def setUp(self) -> None:
        with tarfile.open(FILE) as archive:
            self.files = {entry.name: archive.extractfile(entry).read() for entry in archive.getmembers()}
        self.seen: set[str] = set()

    def blob(self, descriptor: dict) -> bytes:
        digest = descriptor["digest"].removeprefix("sha256:")
        data = self.files[f"blobs/sha256/{digest}"]
        self.assertEqual(hashlib.sha256(data).hexdigest(), digest)
        self.assertEqual(len(data), descriptor["size"])
        self.seen.add(f"blobs/sha256/{digest}")
        return data

    def images(self) -> list[tuple[str, dict, list[bytes]]]:
        """Returns architecture, configuration and layers of each image."""
        (top,) = json.loads(self.files["index.json"])["manifests"]
        found = []
        for descriptor in json.loads(self.blob(top))["manifests"]:
            manifest = json.loads(self.blob(descriptor))
            config = json.loads(self.blob(manifest["config"]))
            layers = [gzip.decompress(self.blob(layer)) for layer in manifest["layers"]]
            digests = [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]
            self.assertEqual(config["rootfs"]["diff_ids"], digests)
            self.assertEqual(config["architecture"], descriptor["platform"]["architecture"])
            found.append((config["architecture"], config, layers))
        return found

    def test_every_blob_is_what_its_digest_says(self) -> None:
        self.assertEqual(json.loads(self.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        self.assertTrue(self.images())
        self.assertEqual(self.seen, {name for name in self.files if name.startswith("blobs/")})

    def test_layers_have_fixed_times_and_owners(self) -> None:
        for _, config, layers in self.images():
            entries = [entry for layer in layers for entry in opened(layer).getmembers()]
            self.assertEqual({(entry.uid, entry.gid, entry.uname, entry.gname) for entry in entries}, {(0, 0, "", "")})
            self.assertEqual(len({entry.mtime for entry in entries}), 1)
            self.assertEqual([entry.name for entry in entries if entry.mode & 0o6000], [])
            self.assertEqual(config["config"]["User"], "65532:65532")

    def test_it_has_licenses_and_a_bill(self) -> None:
        for _, _, layers in self.images():
            own = opened(layers[1])
            folder = "usr/share/doc/gputide"
            bill = json.load(own.extractfile(f"{folder}/sbom.cdx.json"))
            notices = own.extractfile(f"{folder}/THIRD_PARTY_NOTICES").read().decode()
            self.assertTrue(bill["components"])
            for part in bill["components"]:
                self.assertIn(f"\n{part['name']} {part['version']}\n", notices)
            self.assertIn(b"Apache License", own.extractfile(f"{folder}/LICENSE").read())

    def test_gputided_runs_in_it(self) -> None:
        for architecture, config, layers in self.images():
            with self.subTest(architecture), tempfile.TemporaryDirectory() as root:
                for layer in layers:
                    opened(layer).extractall(root)
                machine, program = MACHINES[architecture], config["config"]["Entrypoint"][0]
                if machine == platform.machine():
                    command = ["unshare", "--map-root-user", "chroot", root, program]
                else:
                    command = [f"qemu-{machine}", "-L", root, f"{root}{program}"]
                print(f"{architecture}: {sum(map(len, layers)) / 1e6:.1f} MB, {self.said(*command, 'version').splitlines()[0]}")
                manifest = Path(root, "tmp/night.yaml")
                shutil.copy(MANIFEST, manifest)
                there = "/tmp/night.yaml" if machine == platform.machine() else str(manifest)
                self.assertIn(": 1 -> 3 replicas", self.said(*command, "eval", "-f", there, "--current", "1"))

    def said(self, *command: str) -> str:
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout


unittest.main()
