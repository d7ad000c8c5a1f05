#!/usr/bin/env python3
"""Draws docs/architecture.svg: the modules of src by group, and which modules each one uses, from the CMake files.

    tests/docs/architecture.py --write
"""
from __future__ import annotations

import pathlib
import sys

import modules

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "architecture.svg"
COLORS = {"pure": "#2f6f4f", "net": "#2b5f9e", "core": "#7a4fa3", "kubernetes": "#a3612a", "capi": "#a33a4a"}
LABELS = {"pure": "values in, values out", "net": "requests, credentials, sources", "core": "manifests at work",
          "kubernetes": "a cluster", "capi": "the C functions"}
BOX_WIDTH, BOX_HEIGHT, GAP, ROW, MARGIN, SIDE, WIDTH = 92, 30, 52, 62, 16, 128, 980


def direct_uses(uses: dict[str, list[str]]) -> dict[str, list[str]]:
    """Leaves out what a module also reaches through another module that it uses."""
    def reached(name: str) -> set[str]:
        return {name}.union(*(reached(used) for used in uses[name] if used in uses))
    return {name: [used for used in own if not any(used in reached(other) for other in own if other != used)]
            for name, own in uses.items()}


def rows_of(paths: dict[str, str], uses: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Returns (group, modules) per row from the top: the last group first, and in a group users above what they use."""
    groups = list(dict.fromkeys(path.partition("/")[0] for path in paths.values()))
    out: list[tuple[str, list[str]]] = []
    for group in reversed(groups):
        members = [name for name, path in paths.items() if path.partition("/")[0] == group]
        depth: dict[str, int] = {}
        for name in members:
            depth[name] = 1 + max((depth[used] for used in uses[name] if used in depth), default=-1)
        for level in range(max(depth.values()), -1, -1):
            out.append((group, [name for name in members if depth[name] == level]))
    return out


def places_of(rows: list[tuple[str, list[str]]], uses: dict[str, list[str]]) -> dict[str, tuple[float, float]]:
    """Returns the middle of each box; in a row each module is near the modules that it uses."""
    out: dict[str, tuple[float, float]] = {}
    for index in range(len(rows) - 1, -1, -1):
        def wanted(name: str) -> float:
            below = [out[used][0] for used in uses[name] if used in out]
            return sum(below) / len(below) if below else 0.0
        names = sorted(rows[index][1], key=wanted)
        whole = len(names) * (BOX_WIDTH + GAP) - GAP
        middle = sum(map(wanted, names)) / len(names) or (SIDE + WIDTH) / 2
        left = min(max(middle - whole / 2, SIDE), WIDTH - MARGIN - whole)
        for place, name in enumerate(names):
            out[name] = (left + place * (BOX_WIDTH + GAP) + BOX_WIDTH / 2, MARGIN + index * ROW + ROW / 2)
    return out


def picture(src: pathlib.Path) -> str:
    paths, uses = modules.order(src), direct_uses(modules.uses(src))
    rows = rows_of(paths, uses)
    places = places_of(rows, uses)
    height = 2 * MARGIN + len(rows) * ROW
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
             "<title>Modules of gputide and the modules that each one uses</title>",
             '<rect width="100%" height="100%" rx="8" fill="#ffffff"/>']
    for group in COLORS:
        own = [index for index, row in enumerate(rows) if row[0] == group]
        top = MARGIN + own[0] * ROW
        lines += [f'<rect x="{MARGIN / 2:g}" y="{top + 3}" width="{WIDTH - MARGIN}" height="{len(own) * ROW - 6}" rx="6" '
                  f'fill="{COLORS[group]}" fill-opacity="0.08"/>',
                  f'<text x="{MARGIN}" y="{top + 24}" font-weight="bold" fill="{COLORS[group]}">{group}</text>']
        lines += [f'<text x="{MARGIN}" y="{top + 40 + 12 * line}" font-size="10" fill="#444444">{text}</text>'
                  for line, text in enumerate(LABELS[group].replace(", ", ",\n").splitlines())]
    for name, own in uses.items():
        for used in (used for used in own if used in places):
            (x, y), (to_x, to_y) = places[name], places[used]
            start, end = y + BOX_HEIGHT / 2, to_y - BOX_HEIGHT / 2
            lines.append(f'<path d="M{x:g} {start:g}C{x:g} {(start + end) / 2:g} {to_x:g} {(start + end) / 2:g} {to_x:g} {end:g}" '
                         f'fill="none" stroke="{COLORS[paths[name].partition("/")[0]]}" stroke-opacity="0.55"/>')
    for name, (x, y) in places.items():
        lines += [f'<rect x="{x - BOX_WIDTH / 2:g}" y="{y - BOX_HEIGHT / 2:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" '
                  f'fill="#ffffff" stroke="{COLORS[paths[name].partition("/")[0]]}"/>',
                  f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle" fill="#111111">{name}</text>']
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    PICTURE.write_text(picture(ROOT / "src"))
