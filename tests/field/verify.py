#!/usr/bin/env python3
"""Runs `gputided check` over the collection of public manifests and compares what it says with what is recorded.

    verify.py GPUTIDED [FOLDER]       FOLDER, else $GPUTIDE_FIELD: REPOSITORY/COMMIT/PATH as manifests.json names them
    verify.py --record GPUTIDED FOLDER    writes the findings anew; verdicts and notes stay
    verify.py --page                  writes the table of docs/field.md anew

Exits with 0 where all agree, 1 on a difference, 77 where the downloads are not there.  It fetches nothing.
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

from documents import Document, documents
from page import page_of, path_of_page

LIST = pathlib.Path(__file__).with_name("manifests.json")
VERDICTS = ("right", "false", "missing")
MIN_COUNT = 150
MAX_FALSE = 0.02  # of all findings
NOT_THERE = 77


def path_of(folder: pathlib.Path, entry: dict) -> pathlib.Path:
    return folder / entry["repository"] / entry["commit"] / entry["path"]


def name_of(entry: dict) -> str:
    return f"{entry['repository']} {entry['path']} #{entry['document']}"


def document_of(folder: pathlib.Path, entry: dict) -> Document:
    text = path_of(folder, entry).read_text(encoding="utf-8", errors="replace")
    return documents(text)[entry["document"] - 1]


def codes_of(gputided: str, manifest: str) -> list[str]:
    """Returns the codes of all findings, sorted.  The environment is empty: no variable fills a placeholder."""
    kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
    ran = subprocess.run([gputided, "check", "-f", "-", "--output", "json"], input=manifest, capture_output=True, text=True,
                         env=kept, check=False)
    return sorted(finding["code"] for finding in json.loads(ran.stdout)["report"]["findings"])


def faults_of_list(entries: list[dict]) -> list[str]:
    out = []
    if len(entries) < MIN_COUNT:
        out.append(f"{len(entries)} manifests are listed; {MIN_COUNT} are wanted")
    keys = [name_of(entry) + entry["commit"] for entry in entries]
    out += [f"{key} is listed twice" for key in sorted({key for key in keys if keys.count(key) > 1})]
    for entry in entries:
        if entry["verdict"] not in VERDICTS:
            out.append(f"{name_of(entry)}: the verdict is {entry['verdict']!r}; write one of {', '.join(VERDICTS)}")
        if (entry["verdict"] == "right") == bool(entry.get("note")):
            out.append(f"{name_of(entry)}: a note belongs to each verdict but right")
        if not set(entry.get("false", [])) <= set(entry["findings"]):
            out.append(f"{name_of(entry)}: a false finding is not among the findings")
    findings = sum(len(entry["findings"]) for entry in entries)
    false = sum(len(entry.get("false", [])) for entry in entries)
    if false > MAX_FALSE * findings:
        out.append(f"{false} of {findings} findings are false; at most {MAX_FALSE:.0%} may be")
    if path_of_page().read_text() != page_of(entries):
        out.append("docs/field.md: the table is not that of manifests.json; run verify.py --page")
    return out


def differences(gputided: str, folder: pathlib.Path, entries: list[dict]) -> list[str]:
    out = []
    for entry in entries:
        found = document_of(folder, entry)
        if (found.kind, found.name) != (entry["kind"], entry["name"]):
            out.append(f"{name_of(entry)}: holds {found.kind} {found.name}, not {entry['kind']} {entry['name']}")
            continue
        codes = codes_of(gputided, found.text)
        if codes != entry["findings"]:
            out.append(f"{name_of(entry)}\n    recorded: {', '.join(entry['findings']) or 'nothing'}"
                       f"\n    is:       {', '.join(codes) or 'nothing'}")
    return out


def record(gputided: str, folder: pathlib.Path, entries: list[dict]) -> None:
    for entry in entries:
        entry["findings"] = codes_of(gputided, document_of(folder, entry).text)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    LIST.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def main(arguments: list[str]) -> int:
    entries = json.loads(LIST.read_text())
    if arguments == ["--page"]:
        path_of_page().write_text(page_of(entries))
        return 0
    is_recording = arguments[:1] == ["--record"]
    given = arguments[1:] if is_recording else arguments
    folder = pathlib.Path(given[1] if len(given) > 1 else os.environ.get("GPUTIDE_FIELD", ""))
    if not is_recording and (found := faults_of_list(entries)):
        print("\n".join(found))
        return 1
    missing = [entry for entry in entries if not path_of(folder, entry).is_file()]
    if not given or missing:
        print(f"needs GPUTIDED and a folder with these files (REPOSITORY/COMMIT/PATH); {len(missing)} are not there, the first: "
              f"{path_of(pathlib.Path('FOLDER'), missing[0]) if missing else ''}")
        return NOT_THERE
    if is_recording:
        record(given[0], folder, entries)
        return 0
    found = differences(given[0], folder, entries)
    print("\n".join(found) if found else f"{len(entries)} manifests are judged as recorded")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
