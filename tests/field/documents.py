"""Finds the ScaledObjects, ScaledJobs and HPAs of a text: a YAML file, a page with code blocks, a script with here-documents."""
from __future__ import annotations

import re
from typing import NamedTuple

KINDS = ("ScaledObject", "ScaledJob", "HorizontalPodAutoscaler")
KIND = re.compile(r"^([ \t]*)kind:\s*[\"']?(" + "|".join(KINDS) + r")[\"']?\s*(#.*)?$")
# At the document's own indentation only a key, a comment or a template's line belongs to it.
OWN_LINE = re.compile(r"[A-Za-z][\w.-]*:(\s|$)|#|\{\{")
NAME = re.compile(r"\bname:\s*[\"']?([^\"'\s,}]+)")


class Document(NamedTuple):
    number: int  # from 1, in the order of the text
    kind: str
    name: str
    text: str


def belongs(line: str, indent: str) -> bool:
    if not line.strip():
        return True
    rest = line[len(indent):] if line.startswith(indent) else None
    if rest is None or rest.rstrip() == "---" or rest.startswith("```"):
        return False
    return rest[0] in " \t" or OWN_LINE.match(rest) is not None


def documents(text: str) -> list[Document]:
    """Returns each document whole, without the indentation of the text around it.  One without apiVersion or spec is left out:
    it is a patch's target or a list's entry."""
    lines = text.splitlines()
    out: list[Document] = []
    for at, line in enumerate(lines):
        found = KIND.match(line)
        if not found:
            continue
        indent = found[1]
        first = last = at
        while first > 0 and belongs(lines[first - 1], indent):
            first -= 1
        while last + 1 < len(lines) and belongs(lines[last + 1], indent):
            last += 1
        while not OWN_LINE.match(lines[first][len(indent):]):
            first += 1
        body = [each[len(indent):].rstrip() for each in lines[first:last + 1]]
        whole = "\n".join(body).strip("\n") + "\n"
        if not re.search(r"^apiVersion:", whole, re.M) or not re.search(r"^spec:", whole, re.M):
            continue
        named = NAME.search(whole[whole.find("metadata:"):])
        out.append(Document(len(out) + 1, found[2], named[1] if named else "", whole))
    return out
