"""wrong_abi, missing: which library is opened, and what is said where none can be.  And one https fetch with a CA file of its
own, inside this interpreter, and which OpenSSL it used."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import gputide

from .support import NOW_MS, PACKAGE, run_python, scaled_object

STUB = PACKAGE.parents[1] / "tests" / "bindings" / "stub.c"
OPENS = "import gputide; print(gputide.library_version())"


def stub(folder: str, name: str, **defines: int) -> str:
    """A library that says of itself what the defines say."""
    path = os.path.join(folder, name)
    flags = [f"-D{key}={value}" for key, value in defines.items()]
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", *flags, "-o", path, str(STUB)], check=True)
    return path


class WrongAbi(unittest.TestCase):
    def test_wrong_libraries_are_named_with_what_is_wrong_and_the_remedy(self) -> None:
        wrong = {
            "ABI 99: a newer release": {"ABI": 99, "RELEASE": 99_000_000},
            "ABI 0: an older release": {"ABI": 0, "RELEASE": 1_000},
            "release 0.1.7: too old": {"ABI": 1, "RELEASE": 1_007},
            "release 0.3.0 is incomplete": {"ABI": 1, "RELEASE": 3_000},
            "release 0.3.0 is incomplete: it lacks functions": {"ABI": 1, "RELEASE": 3_000, "FEATURES": 3},  # core
            "release 0.3.0 is incomplete: it lacks": {"ABI": 1, "RELEASE": 3_000, "FEATURES": 1},  # pure, without decide
        }
        with tempfile.TemporaryDirectory() as folder:
            for number, (words, defines) in enumerate(wrong.items()):
                with self.subTest(words):
                    path = stub(folder, f"libgputide-{number}.so", **defines)
                    done = run_python(OPENS, GPUTIDE_LIBRARY=path)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn("no usable libgputide-full.so.1 for ABI 1, release 0.3.0 or newer. Tried:", done.stderr)
                    self.assertIn(f"GPUTIDE_LIBRARY={path}   {words}", done.stderr)
                    self.assertIn("Install Debian's libgputide-full1, or set GPUTIDE_LIBRARY", done.stderr)

    def test_another_c_library_is_no_libgputide(self) -> None:
        import _ctypes

        done = run_python(OPENS, GPUTIDE_LIBRARY=_ctypes.__file__)
        self.assertIn("not a libgputide: it has no gputide_abi_version", done.stderr)
        self.assertIn("no usable libgputide", done.stderr)


class Missing(unittest.TestCase):
    def test_each_place_is_listed_and_importing_works(self) -> None:
        code = "import gputide\nprint('imported', gputide.Limit.MIN.value)\ngputide.Policy('x')\n"
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "src" / "gputide"
            shutil.copytree(PACKAGE / "src" / "gputide", package, ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
            done = run_python(f"import sys; sys.path.insert(0, {str(package.parent)!r})\n" + code, GPUTIDE_LIBRARY="")
            self.assertEqual(done.stdout, "imported 5\n")
            self.assertIn(f"{package / 'libgputide-full.so.1'}   there is no such file", done.stderr)
            self.assertIn("libgputide-full.so.1 (the system's search)   libgputide-full.so.1: cannot open", done.stderr)

    def test_a_path_that_was_given_is_final(self) -> None:
        for given in ({"GPUTIDE_LIBRARY": "/nonexistent/libgputide-full.so.1"}, {}):
            code = OPENS if given else "import gputide; gputide.load('/nonexistent/libgputide-full.so.1')"
            done = run_python(code, **given)
            self.assertIn("/nonexistent/libgputide-full.so.1   there is no such file", done.stderr)
            self.assertNotIn("the system's search", done.stderr)

    def test_load_takes_the_file_that_is_open_already_and_no_other(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.so")
            Path(other).touch()
            code = (
                "import gputide\n"
                "gputide.load(gputide.library_path())\n"
                f"try: gputide.load({other!r})\n"
                "except gputide.LibraryError as problem: print('is open already' in str(problem))\n"
            )
            self.assertEqual(run_python(code).stdout, "True\n")

    def test_the_version_is_one(self) -> None:
        project = (PACKAGE / "pyproject.toml").read_text()
        self.assertIn(f'version = "{gputide.__version__}"', project)
        self.assertEqual(gputide.library_version(), gputide.__version__)
        self.assertIn("yaml", gputide.features())
        self.assertIn("compiler", gputide.build_info())


class Pure(unittest.TestCase):
    """The pure library, as wheels for musl have it."""

    PLACE = Path(os.environ.get("GPUTIDE_LIBRARY", "") or "none").with_name("libgputide-pure.so.1")

    def setUp(self) -> None:
        if not self.PLACE.exists():
            self.skipTest(f"{self.PLACE} is not built")

    def test_it_decides_and_says_what_it_lacks(self) -> None:
        code = (
            f"import gputide\nwith gputide.Policy({scaled_object()!r}) as policy, policy.new_state() as state:\n"
            f"    print(state.decide(current=3, samples=[42.5], now={NOW_MS}).desired)\n"
            "print(sorted(gputide.features() & {'pure', 'core', 'plan', 'kubernetes'}))\n"
            "try: gputide.Runtime()\nexcept gputide.LibraryError as problem: print(problem)\n"
        )
        done = run_python(code, GPUTIDE_LIBRARY=str(self.PLACE))
        self.assertEqual(done.stderr, "")
        self.assertIn("6\n['plan', 'pure']\n", done.stdout)
        self.assertIn("is the pure library and has no gputide_runtime_new.", done.stdout)

    def test_beside_the_package_it_is_taken_without_being_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "src" / "gputide"
            shutil.copytree(PACKAGE / "src" / "gputide", package, ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
            shutil.copy(self.PLACE, package)
            done = run_python(f"import sys; sys.path.insert(0, {str(package.parent)!r})\n" + OPENS, GPUTIDE_LIBRARY="")
            self.assertEqual(done.stdout, f"{gputide.__version__}\n", done.stderr)


class Mirrors(unittest.TestCase):
    def test_each_mirror_lies_as_abi_json_says(self) -> None:
        import ctypes
        import json

        from gputide import _abi

        abi = json.loads((PACKAGE.parent / "abi.json").read_text())
        for struct in abi["structs"]:
            mirror = getattr(_abi, struct["name"])
            self.assertEqual(ctypes.sizeof(mirror), struct["size_bytes"], struct["name"])
            for member in struct["members"]:
                field = getattr(mirror, member["name"])
                self.assertEqual((field.offset, field.size), (member["offset_bytes"], member["size_bytes"]), member["name"])

    def test_every_enum_and_every_number_is_there(self) -> None:
        import json

        from gputide import _abi, numbers

        abi = json.loads((PACKAGE.parent / "abi.json").read_text())
        for enum in abi["enums"]:
            kind = getattr(numbers, "".join(part.capitalize() for part in enum["name"].split("_")), None)
            self.assertEqual(kind is None, enum["flags"])
            for member in enum["members"]:
                here = getattr(_abi, member["name"].removeprefix("GPUTIDE_")) if kind is None else kind[member["short"]]
                self.assertEqual(here, member["value"])


FETCH = """
import gputide
trigger = 'type: prometheus\\nmetadata: {{serverAddress: "{address}", query: load, threshold: "5"}}'
with gputide.Source(trigger, gputide.Options(ca_file={ca_file!r})) as source:
    print(source.fetch(timeout=20).value)
"""
# libcurl or OpenSSL bound to something that the host program brings.
FOREIGN = re.compile(
    r"binding file \S*/lib(?:curl|ssl|crypto|gputide)\S* \[\d+\] to \S*python\S* \[\d+\]: "
    r"normal symbol `((?:SSL|EVP|X509|BIO|curl|nghttp2)_\w+)'"
)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        data = {"resultType": "vector", "result": [{"metric": {}, "value": [NOW_MS / 1000, "42.5"]}]}
        body = json.dumps({"status": "success", "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Https(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.certificate = self.folder / "ca.pem"
        key = self.folder / "key.pem"
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject]
        subprocess.run([*command, "-keyout", str(key), "-out", str(self.certificate)], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"https://127.0.0.1:{server.server_address[1]}"

    def fetch(self, ca_file: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_python(FETCH.format(address=self.address, ca_file=ca_file), **environment)

    def test_a_ca_file_is_trusted_and_nothing_else(self) -> None:
        self.assertEqual(self.fetch(str(self.certificate)).stdout, "42.5\n")
        system = self.fetch("/etc/ssl/certs/ca-certificates.crt")
        self.assertNotEqual(system.returncode, 0)
        self.assertIn("gputide.errors.", system.stderr)

    def test_no_symbol_of_libcurl_or_openssl_is_the_interpreters(self) -> None:
        log = self.folder / "bindings"
        done = self.fetch(str(self.certificate), LD_DEBUG="bindings", LD_DEBUG_OUTPUT=str(log))
        self.assertEqual(done.stdout, "42.5\n")
        text = "".join(path.read_text(errors="replace") for path in self.folder.glob("bindings.*"))
        self.assertIn("libgputide-full.so", text)
        self.assertEqual(FOREIGN.findall(text), [])
