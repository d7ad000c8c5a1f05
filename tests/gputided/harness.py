"""Runs gputided for the tests, and keeps everything that it said.

In: the program (PROGRAM, set by run_tests.py).  Out: exit status, stdout and stderr of each run; `captured` has all of it,
and secrets_test.py looks for the planted secrets in there at the end.
"""
from __future__ import annotations

import base64
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any, Callable, TypeVar

Self = TypeVar("Self", bound="Background")

PROGRAM = ""
WORK = pathlib.Path(tempfile.mkdtemp(prefix="gputided-test."))
# Long enough for a machine that is busy with other tests: what waits for it does so only where something is wrong.
PATIENCE_S = 60.0
# gputided ends within a second, whatever hangs (run_test.py holds it to that); the rest is for a busy machine, and less than the
# minute that things hang here.
PROMPT_S = 5.0
captured: dict[str, str] = {}  # by what it is: "eval 17 stderr", "state file of ..."


def segment(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


# Planted in manifests, files, headers and answers; none may ever be seen outside.
BEARER = "planted-bearer-0d1f6c52"
PASSWORD = "planted-password-7be1a90c"
HEADER_VALUE = "planted-header-51c0ffee"
URL_PASSWORD = "planted-url-password-3e8d"
SECRET_DATA = "planted-secret-data-94ab"
ASSERTION_SIGNATURE = segment("planted-assertion-signature-6a2e")
ACCESS_TOKEN_SIGNATURE = segment("planted-access-token-signature-c4d7")
CLUSTER_TOKEN = "planted-cluster-token-b37d02"
PLANTED = [CLUSTER_TOKEN, BEARER, PASSWORD, HEADER_VALUE, URL_PASSWORD, SECRET_DATA, ASSERTION_SIGNATURE, ACCESS_TOKEN_SIGNATURE]


def in_every_spelling(secret: str) -> list[str]:
    """As it is, and as base64 at each of the three offsets it may have inside a longer text."""
    spellings = [secret]
    for offset in range(3):
        encoded = base64.b64encode(b"." * offset + secret.encode()).decode()
        spellings.append(encoded[4 if offset else 0:len(encoded) // 4 * 4 - 4])
    return spellings


class Ran:
    """The output of a run that has ended."""

    def __init__(self, status: int, out: str, err: str, seconds: float) -> None:
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit status {self.status} after {self.seconds:.1f} s\n--- stdout\n{self.out}--- stderr\n{self.err}"


def keep(name: str, text: str) -> None:
    captured[f"{len(captured)} {name}"] = text


def surroundings(more: dict[str, str] | None = None) -> dict[str, str]:
    """A plain environment: nothing of the caller's proxies, clouds or certificates."""
    plain = {"PATH": os.environ["PATH"], "HOME": str(WORK), "LC_ALL": "C.UTF-8"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
        if name in os.environ:
            plain[name] = os.environ[name]
    return {**plain, **(more or {})}


def gputided(*arguments: str, env: dict[str, str] | None = None, stdin: str = "", timeout: float = PATIENCE_S) -> Ran:
    started = time.monotonic()
    done = subprocess.run([PROGRAM, *arguments], env=surroundings(env), input=stdin, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False)
    ran = Ran(done.returncode, done.stdout, done.stderr, time.monotonic() - started)
    keep(f"{' '.join(arguments[:1])} stdout", ran.out)
    keep(f"{' '.join(arguments[:1])} stderr", ran.err)
    return ran


def shell(script: str) -> Ran:
    started = time.monotonic()
    done = subprocess.run(["bash", "-c", script], env=surroundings(), text=True, capture_output=True, timeout=PATIENCE_S,
                          check=False)
    keep("shell stdout", done.stdout)
    keep("shell stderr", done.stderr)
    return Ran(done.returncode, done.stdout, done.stderr, time.monotonic() - started)


class Background:
    """A program in the background; stdout and stderr go to files.  Ends with the with-block at the latest."""

    count = 0

    def __init__(self, command: list[str], env: dict[str, str] | None = None, cwd: str | None = None) -> None:
        Background.count += 1
        self.out_path, self.err_path = WORK / f"run{Background.count}.out", WORK / f"run{Background.count}.err"
        with self.out_path.open("w") as out, self.err_path.open("w") as err:
            self.process = subprocess.Popen(command, env=surroundings(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=err)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        keep("run stdout", self.out)
        keep("run stderr", self.err)

    @property
    def out(self) -> str:
        return self.out_path.read_text(errors="replace")

    @property
    def err(self) -> str:
        return self.err_path.read_text(errors="replace")

    def wait_for(self, what: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
        """The first true value of what(); fails with the last that the daemon said."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = what()
            if value:
                return value
            if self.process.poll() is not None:
                raise AssertionError(f"it ended with {self.process.returncode}:\n{self.last_words}")
            time.sleep(0.02)
        raise AssertionError(f"waited {seconds} s in vain:\n{self.last_words}")

    @property
    def last_words(self) -> str:
        return self.out[-2000:] + "\n" + self.err[-2000:]

    def end(self, by: int = signal.SIGTERM) -> float:
        """Seconds until it had ended."""
        started = time.monotonic()
        self.process.send_signal(by)
        self.process.wait(timeout=PATIENCE_S)
        return time.monotonic() - started


class Daemon(Background):
    """gputided run."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        every = [] if "--log" in arguments else ["--log", "all"]  # most tests count decisions
        super().__init__([PROGRAM, "run", "--listen", "127.0.0.1:0", *every, *arguments], env)

    @property
    def decisions(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if "desired_replicas" in line]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines(keepends=True) if line.endswith("\n")]

    def url(self) -> str:
        def port() -> str:
            found = [line.rsplit(" ", 1)[1] for line in self.err.splitlines() if "listening on port" in line]
            return found[0] if found else ""
        return "http://127.0.0.1:" + self.wait_for(port)

    def get(self, path: str, method: str = "GET") -> tuple[int, str, str]:
        """Status, content type, body."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            answer = opener.open(urllib.request.Request(self.url() + path, method=method), timeout=PATIENCE_S)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            body = answer.read().decode()
            keep(f"GET {path}", body)
            return answer.status, answer.headers.get("Content-Type", ""), body


def write(name: str, text: str | bytes) -> str:
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def is_sanitized() -> bool:
    """Returns whether a sanitizer adds memory and time of its own."""
    return "asan" in PROGRAM or "tsan" in PROGRAM


def resident_bytes(pid: int) -> int:
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_s(pid: int) -> float:
    """Returns the processor time of all its threads, without its children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def queued_s(pid: int) -> float:
    """Returns how long its threads, together, waited for a processor."""
    return sum(int(path.read_text().split()[1]) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
