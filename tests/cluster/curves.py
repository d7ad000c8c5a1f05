"""Two sizes that follow one metric, as an SVG: the metric above, both sizes below, shaded where they differ.  No font or script is
loaded."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence
from xml.sax.saxutils import escape

LEFT, RIGHT, WIDTH = 48, 16, 900
TOP, UPPER, LOWER, GAP, BOTTOM = 54, 90, 200, 34, 30
THEIRS, OURS, METRIC, APART = "#1f5fa8", "#c2571a", "#666666", "#f3d9c9"


@dataclass(frozen=True)
class Moment:
    at_s: float
    value: float | None  # nothing: there is no metric
    theirs: int
    ours: int
    twins: int  # of a second Deployment that KEDA scales


def picture(title: str, moments: Sequence[Moment], threshold: float) -> str:
    end_s = moments[-1].at_s or 1.0
    max_value = max([moment.value or 0.0 for moment in moments] + [1.0])
    max_size = max([max(moment.theirs, moment.ours) for moment in moments] + [1])
    height = TOP + UPPER + GAP + LOWER + BOTTOM
    floor_upper, floor = TOP + UPPER, TOP + UPPER + GAP + LOWER

    def x(at_s: float) -> float:
        return LEFT + WIDTH * at_s / end_s

    def y_value(value: float) -> float:
        return floor_upper - UPPER * value / max_value

    def y_size(size: float) -> float:
        return floor - LOWER * size / max_size

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" font-family="sans-serif" '
             f'font-size="12" role="img" aria-label="{escape(title)}">', '<rect width="100%" height="100%" fill="#ffffff"/>',
             text(12, 20, title, "#111", 15), text(12, 40, f"the metric (target {threshold:g} a replica); no line: it is not there", METRIC),
             text(LEFT + 400, 40, "KEDA and the HPA", THEIRS), text(LEFT + 540, 40, "gputide", OURS),
             text(LEFT + 620, 40, "shaded: they differ", "#8a5a3c")]
    parts += [f'<rect x="{x(start):.1f}" y="{TOP}" width="{max(x(end) - x(start), 0.5):.1f}" height="{floor - TOP}" fill="{APART}"/>'
              for start, end in spans(moments)]
    for minute in range(int(end_s // 60) + 1):
        parts.append(f'<line x1="{x(minute * 60):.1f}" x2="{x(minute * 60):.1f}" y1="{floor}" y2="{floor + 4}" stroke="#444"/>')
        parts.append(text(x(minute * 60), floor + 18, f"{minute}", "#444", anchor="middle"))
    for size in range(0, max_size + 1, max(1, round(max_size / 6))):
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y_size(size):.1f}" y2="{y_size(size):.1f}" stroke="#e4e4e4"/>')
        parts.append(text(LEFT - 8, y_size(size) + 4, f"{size}", "#444", anchor="end"))
    parts.append(text(LEFT - 8, y_value(max_value) + 4, f"{max_value:g}", METRIC, anchor="end"))
    parts.append(text(LEFT + WIDTH, floor + 28, "minutes", "#444", anchor="end"))
    parts.append(line(path(moments, x, lambda moment: None if moment.value is None else y_value(moment.value)), METRIC, 1.2))
    parts.append(line(path(moments, x, lambda moment: y_size(moment.theirs)), THEIRS, 4.0))
    parts.append(line(path(moments, x, lambda moment: y_size(moment.ours)), OURS, 1.6))
    return "\n".join([*parts, "</svg>", ""])


def agreement(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Counts how many looks found the same size on both sides, and how many the two sizes of one change that one side had made and the
    other not yet: both had the first size before and have the second one after."""
    same = sum(1 for first, second in pairs if first == second)
    later = 0
    run: list[tuple[int, int]] = []
    before: int | None = None
    for first, second in pairs:
        if first != second:
            run.append((first, second))
            continue
        sizes = {size for pair in run for size in pair}
        if before is not None and sizes <= {before, first}:
            later += len(run)
        before, run = first, []
    return same, later


def spans(moments: Sequence[Moment]) -> list[tuple[float, float]]:
    """From when to when the two sizes differ."""
    out: list[tuple[float, float]] = []
    start: float | None = None
    for moment in moments:
        if moment.theirs != moment.ours and start is None:
            start = moment.at_s
        if moment.theirs == moment.ours and start is not None:
            out.append((start, moment.at_s))
            start = None
    return out + ([(start, moments[-1].at_s)] if start is not None else [])


def path(moments: Sequence[Moment], x: Callable[[float], float], y: Callable[[Moment], float | None]) -> str:
    """Steps, interrupted where y is nothing; a moment like the one before adds nothing."""
    out: list[str] = []
    last: float | None = None
    for moment in moments:
        here = y(moment)
        if here is not None and last is None:
            out.append(f"M{x(moment.at_s):.1f} {here:.1f}")
        elif here is not None and here != last:
            out.append(f"H{x(moment.at_s):.1f}V{here:.1f}")
        elif here is None and last is not None:
            out.append(f"H{x(moment.at_s):.1f}")
        last = here
    return "".join(out) + (f"H{x(moments[-1].at_s):.1f}" if last is not None else "")


def line(steps: str, color: str, width: float) -> str:
    return f'<path d="{steps}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def text(x: float, y: float, content: str, color: str, size: int = 12, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-size="{size}">{escape(content)}</text>'
