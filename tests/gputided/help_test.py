"""Texts made from the option tables: help, man pages, completion in real shells; errors as JSON; log levels."""
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import termios
import unittest

import harness
import manifests
from harness import gputided

GOOD = "http://127.0.0.1:1"
COMMANDS = ("run", "eval", "check", "doctor", "replay", "replay compare", "replay tune", "nodes plan", "nodes explain",
            "rightsize", "adopt", "release", "token", "version", "help", "completion")


class Help(unittest.TestCase):
    def test_version(self) -> None:
        for flag in ("--version", "-V"):
            ran = gputided(flag)
            self.assertEqual((ran.status, ran.err), (0, ""))
            self.assertRegex(ran.out, r"^gputided \d+\.\d+\.\d+ \(ABI \d+\)\n$")

    def test_help_lists_the_commands_as_they_are_typed(self) -> None:
        for ran in (gputided("help"), gputided("--help"), gputided("-h")):
            self.assertEqual((ran.status, ran.err), (0, ""))
            self.assertEqual(re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", ran.out.partition("Commands:")[2].partition("Options:")[0], re.M), list(COMMANDS))

    def test_help_of_a_command_is_its_own(self) -> None:
        for name in COMMANDS:
            ran = gputided("help", *name.split())
            self.assertEqual(ran.out, gputided(*name.split(), "--help").out)
            self.assertTrue(ran.out.startswith(f"Usage: gputided {name} [OPTION]...\n"), ran)
            self.assertIn(f"\nExample:\n  ", ran.out)
            self.assertLess(ran.out.index("Example:"), ran.out.index("Options:"), "the example comes before the flags")
            self.assertNotRegex(ran.out, r"REQUIRED|Needs:|TEXT:|\.\.\. ")
            self.assertLessEqual(max(map(len, ran.out.splitlines())), 132)
        ran = gputided("help", "frobnicate")
        self.assertEqual((ran.status, ran.out), (2, ""))
        self.assertIn("no command frobnicate", ran.err)

    def test_a_slip_is_named_with_what_was_meant(self) -> None:
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        for arguments, expected in ((["chekc"], "no command chekc; did you mean check?"),
                                    (["nodes"], "nodes needs a subcommand: gputided nodes plan, gputided nodes explain"),
                                    (["eval", "-f", so, "--curent", "1"], "--curent was not expected; did you mean --current?"),
                                    (["eval", "-n", "ml", "-f", so], "-n was not expected; gputided eval --help"),
                                    (["run", "-f", so, "--dryrun"], "--dryrun was not expected; did you mean --dry-run?"),
                                    (["replay", "-f", so, "--from", "-7days"], "--from -7days: expected a time before now such as")):
            ran = gputided(*arguments)
            self.assertEqual((ran.status, ran.out), (2, ""), ran)
            self.assertIn(expected, ran.err)

    def test_manifests_without_f_and_short_names(self) -> None:
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        self.assertEqual(gputided("check", so).out, gputided("check", "-f", so).out)
        self.assertEqual(gputided("check", so, "-o", "json").json["scalers"][0]["name"], "gpu")

    def test_a_provider_is_a_credential(self) -> None:
        ran = gputided("token", "--credential", "azure-workload")
        self.assertIn("AZURE_CLIENT_ID is not set", ran.err)
        self.assertNotIn("ScaledObject", ran.err)


class ManPages(unittest.TestCase):
    def test_each_command_has_one_with_all_its_options(self) -> None:
        pages = {"": gputided("help", "--man").out, **{name: gputided("help", "--man", *name.split()).out for name in COMMANDS}}
        for name in COMMANDS:
            self.assertIn(f".B {name}\n", pages[""])
            flags = set(re.findall(r"^ .*?(--[a-z][a-z-]*)", gputided("help", *name.split()).out.partition("Options:")[2], re.M))
            self.assertLessEqual(flags, set(re.findall(r"--[a-z][a-z-]*", pages[name].replace("\\-", "-"))))
        for section in ("ENVIRONMENT", "SIGNALS", "FILES", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
            self.assertIn(f".SH {section}\n", pages[""])
        if not shutil.which("groff"):
            self.skipTest("groff is not installed: pages are not formatted")
        for name, page in pages.items():
            ran = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True, capture_output=True, check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), name)


class Completion(unittest.TestCase):
    """Each case: the words on the line, the last of them incomplete, and the words that the shell offers."""

    CASES = ((["ch"], {"check"}), (["replay", "t"], {"tune"}), (["nodes", ""], {"plan", "explain"}), (["replay", "tune", "--holdo"], {"--holdout"}),
             (["replay", "--holdo"], set()), (["eval", "--output", ""], {"text", "json"}), (["check", "--output", ""], {"text", "json", "sarif"}),
             (["run", "--log-level", "d"], {"debug"}), (["completion", "z"], {"zsh"}))

    def setUp(self) -> None:
        folder = harness.WORK / "bin"
        folder.mkdir(exist_ok=True)
        if not (folder / "gputided").exists():
            (folder / "gputided").symlink_to(pathlib.Path(harness.PROGRAM).resolve())
        self.path = f"{folder}:{os.environ['PATH']}"

    def empty_folder(self) -> str:
        """Returns a folder without a file to complete."""
        folder = harness.WORK / "nothing.d"
        folder.mkdir(exist_ok=True)
        return str(folder)

    def ran(self, command: list[str]) -> list[str]:
        done = subprocess.run(command, env={**harness.surroundings(), "PATH": self.path, "TERM": "dumb"}, cwd=self.empty_folder(), text=True,
                              capture_output=True, timeout=harness.PATIENCE_S, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")

    def test_words_are_for_scripts(self) -> None:
        ran = gputided("completion", "bash", "zsh")
        self.assertEqual((ran.status, ran.out), (2, ""))
        self.assertIn("zsh was not expected", ran.err)

    def test_bash(self) -> None:
        script = "source <(gputided completion bash); COMP_WORDS=(gputided \"$@\"); COMP_CWORD=$#; _gputided; printf '%s\\n' \"${COMPREPLY[@]}\""
        for words, expected in self.CASES:
            with self.subTest(words):
                self.assertEqual(set(self.ran(["bash", "-c", script, "bash", *words])) - {""}, expected)
        self.assertEqual(set(self.ran(["bash", "-c", script, "bash", "eval", "--output", "=", "j"])) - {""}, {"json"})

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self) -> None:
        for words, expected in self.CASES:
            with self.subTest(words):
                line = " ".join(["gputided", *words])
                offered = self.ran(["fish", "--no-config", "-c", f"gputided completion fish | source; complete -C '{line}'"])
                found = {row.split("\t")[0] for row in offered} - {""}
                if words[-1].startswith("-") or words[-1]:
                    found = {word for word in found if word.startswith(words[-1])}
                self.assertEqual(found, expected)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self) -> None:
        """In a terminal of its own, as zsh completes only on a line that is being edited."""
        script = harness.write("complete.zsh", """
zmodload zsh/zpty
zpty shell 'zsh -f -i'
send() { zpty -w shell $1 }
send 'PS1=; autoload -Uz compinit; compinit -u -D; source <(gputided completion zsh)'
send 'zstyle ":completion:*" list-colors ""; LISTMAX=0; setopt no_list_beep; unsetopt list_packed'
send 'words-of() { compadd() { builtin compadd -O offered "$@" 2>/dev/null; print -l -- "offer:"$^offered; builtin compadd "$@" }; _main_complete }'
send 'zle -C offers complete-word words-of; bindkey "^X" offers; echo rea""dy'
local line
zpty -r shell line '*ready*'
zpty -w -n shell "gputided $1"$'\\x18'
sleep 1
while zpty -t -r shell line; do print -rn -- $line; done
zpty -d shell
""")
        for words, expected in self.CASES:
            with self.subTest(words):
                seen = "\n".join(self.ran(["zsh", "-f", script, " ".join(words)]))
                found = {word for word in re.findall(r"offer:(\S+)", seen) if word.startswith(words[-1])}
                self.assertEqual(found, expected, seen)


class Errors(unittest.TestCase):
    """With --output json a failure is JSON, too, whatever fails."""

    def error(self, status: int, *arguments: str) -> dict[str, object]:
        ran = gputided(*arguments)
        self.assertEqual(ran.status, status, ran)
        self.assertTrue(ran.err.startswith("gputided: "), ran)
        error = json.loads(ran.out.splitlines()[-1])["error"]
        self.assertEqual(error["exit_status"], status)
        self.assertIn(error["message"][:40], ran.err)
        return dict(error)

    def test_bad_usage(self) -> None:
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        for arguments in (["eval", "-f", so], ["frobnicate"], ["eval", "-f", "/nowhere", "--current", "1"], ["doctor"], ["replay"], ["token", "--scoop", "x"],
                          ["rightsize"], ["nodes", "plan"], ["adopt", "x"], ["version", "x"], ["run", "-f", so], ["replay", "-f", so, "--series", "/nowhere"],
                          ["replay", "compare", "-f", so, "--series", "/nowhere"], ["replay", "tune", "-f", so, "--series", "/nowhere"], ["check"]):
            with self.subTest(arguments):
                self.assertEqual(self.error(2, *arguments, "--output", "json")["code"], "usage")
                self.assertEqual(gputided(*arguments).out, "", "without it only the log has the error")

    def test_a_bad_manifest_names_its_place(self) -> None:
        wrong = manifests.saved("wrong.yaml", manifests.scaled_object(GOOD, threshold="abc"))
        for command in (["eval", "--current", "1"], ["doctor"], ["replay", "--series", "/nowhere"]):
            with self.subTest(command):
                error = self.error(2, *command, "-f", wrong, "--output", "json")
                self.assertEqual((error["file"], error["line"], error["path"], error["status"]),
                                 (wrong, 20, "spec.triggers[0].metadata.threshold", "E_INVALID"))
                self.assertEqual(error["code"], error["findings"][0]["code"])  # type: ignore[index]

    def test_every_text_with_errors_names_its_place(self) -> None:
        good = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        odd = harness.write("odd.yaml", "a: b\n  c: d\n")
        for command in (["rightsize", "-f", odd], ["nodes", "plan", "-f", good, "-f", odd], ["nodes", "explain", "-f", odd],
                        ["token", "--credential", "@" + odd], ["adopt", "ml/a", "--kubeconfig", odd], ["release", "ml/a", "--kubeconfig", odd],
                        ["nodes", "plan", "--kubernetes", "--kubeconfig", odd], ["eval", "-f", odd, "--current", "1"]):
            with self.subTest(command):
                error = self.error(2, *command, "--output", "json")
                self.assertEqual([error[member] for member in ("code", "file", "line", "column", "path", "message")],
                                 ["syntax", odd, 2, 4, "", "not valid YAML: mapping values are not allowed in this context"])
                self.assertIn("check indentation", str(error["remedy"]))
        prices = harness.write("prices.yaml", "settings: {profile: gpu}\n")
        error = self.error(2, "rightsize", "-f", prices, "--util", "/nowhere", "--output", "json")
        self.assertEqual((error["file"], error["line"]), (prices, 1))

    def test_a_plan_names_the_file_of_a_finding(self) -> None:
        first = harness.write("first.yaml", "pools: [{id: a, max: 2, size: 0, allocatable: {cpu: 4}}]\n")
        second = harness.write("second.yaml", "groups:\n- {name: g, count: 1, pod: {requests: {cpu: 1}}, paint: red}\n")
        ran = gputided("nodes", "plan", "-f", first, "-f", second, "--output", "json")
        found = {(entry["file"], entry["line"]) for entry in ran.json["findings"]["findings"] if "paint" in entry["path"] + entry["message"]}
        self.assertEqual(found, {(second, 2)}, ran)
        self.assertIn(f"warning: {second}:2 ", gputided("nodes", "plan", "-f", first, "-f", second).out)

    def test_a_file_of_numbers_names_its_line(self) -> None:
        so, odd = manifests.saved("so.yaml", manifests.scaled_object(GOOD)), harness.write("odd.csv", "time,value\n1,2\n2,x\n")
        long_form = harness.write("long.csv", "time,pod,value\n1,a,2\n2,a,x\n")
        delays = harness.write("delays.csv", "startup\n90\n-5\n")
        for command in (["replay", "-f", so, "--series", odd], ["replay", "tune", "-f", so, "--series", long_form], ["rightsize", "--util", long_form],
                        ["replay", "-f", so, "--series", odd, "--startup", "@" + delays]):
            with self.subTest(command):
                error = self.error(2, *command, "--output", "json")
                self.assertEqual((error["code"], error["file"], error["line"]), ("usage", command[-1].removeprefix("@"), 3))
        for command in (["replay", "-f", so, "--series", "/nowhere"], ["eval", "-f", "/nowhere", "--current", "1"], ["rightsize", "--util", "/nowhere"]):
            self.assertEqual(self.error(2, *command, "--output", "json")["file"], "/nowhere")

    def test_a_setting_that_is_missing(self) -> None:
        error = self.error(2, "token", "--credential", "azure-workload", "--output", "json")
        self.assertEqual((error["code"], error["status"], error["retryable"]), ("E_INVALID", "E_INVALID", False))


class Terminal(unittest.TestCase):
    """Texts that are wrapped to the width of a terminal."""

    def shown(self, columns: int, env: dict[str, str]) -> str:
        """Returns what doctor prints on a terminal of this width."""
        master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        with subprocess.Popen([harness.PROGRAM, "doctor", "-f", so], env=harness.surroundings({"TERM": "xterm", **env}), stdout=terminal,
                              stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            os.close(terminal)
            out = b""
            with contextlib.suppress(OSError):  # EIO: the program has closed the terminal
                while piece := os.read(master, 65536):
                    out += piece
        os.close(master)
        return out.decode().replace("\r\n", "\n")

    def test_doctor_fits_the_terminal(self) -> None:
        plain = gputided("doctor", "-f", manifests.saved("so.yaml", manifests.scaled_object(GOOD))).out
        self.assertNotIn("\x1b", plain)
        self.assertLessEqual(max(map(len, plain.splitlines())), 110)
        for columns, env, widest in ((60, {}, 60), (130, {}, 130), (200, {"COLUMNS": "72"}, 72), (0, {}, 110)):
            with self.subTest(columns=columns, env=env):
                text = self.shown(columns, {**env, "NO_COLOR": "1"})
                self.assertEqual(text.split(), plain.split(), "the same words")
                used = max(len(line) for line in text.splitlines() if not line.startswith("trigger "))  # a query is not wrapped
                self.assertLessEqual(used, widest)
                self.assertGreater(used, widest - 25)

    def test_only_a_terminal_has_colors(self) -> None:
        self.assertIn("  \x1b[31mFAILED\x1b[0m  endpoint ", self.shown(100, {}))
        self.assertIn("  \x1b[33mwarning\x1b[0m limits ", self.shown(100, {"NO_COLOR": ""}))
        self.assertNotIn("\x1b", self.shown(100, {"NO_COLOR": "1"}))
        self.assertNotIn("\x1b", self.shown(100, {"TERM": "dumb"}))


class LogLevel(unittest.TestCase):
    def test_lines_beyond_the_level_are_left_out(self) -> None:
        folder = harness.WORK / "levels.d"
        folder.mkdir(exist_ok=True)
        manifests.saved("levels.d/good.yaml", manifests.scaled_object(GOOD))
        (folder / "gone.yaml").symlink_to("nowhere")
        given = ["eval", "-f", str(folder), "--current", "1", "--timeout-ms", "300"]
        self.assertIn("left out", gputided(*given).err)
        self.assertIn("left out", gputided(*given, "--log-level", "warning").err)
        self.assertNotIn("left out", gputided(*given, "--log-level", "error").err)
        self.assertIn("E_UNAVAILABLE", gputided(*given, "--log-level", "error").err)
        self.assertNotIn("127.0.0.1:1/api", "".join(line for line in gputided(*given).err.splitlines() if "E_" not in line))
        detailed = [line for line in gputided(*given, "--log-level", "debug").err.splitlines() if "E_" not in line]
        self.assertTrue(any("127.0.0.1:1" in line for line in detailed), "each request")
        self.assertTrue(any("1 -> " in line for line in detailed), "each decision")
        ran = gputided(*given, "--log-level", "loud")
        self.assertEqual(ran.status, 2)
        self.assertIn("--log-level: expected error or warning or info or debug, got loud", ran.err)


if __name__ == "__main__":
    unittest.main()
