"""The ratios as an SVG: a bar per result on a logarithmic scale, from 1 (as good as the baseline) to the right where ours
is better and to the left where it is not.  In: results of table.py.  Out: text; no font or script is loaded."""
import math
from xml.sax.saxutils import escape

ROW = 20
LEFT, WIDTH, RIGHT = 260, 430, 440
TOP, BOTTOM = 58, 34
BETTER, WORSE = "#2b7a4b", "#b4532a"


def of(results: list[dict]) -> str:
    bars = [result for result in results if result["ratio"]]
    if not bars:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>\n'
    scale = Scale([entry["ratio"] for entry in bars])
    height = TOP + ROW * len(bars) + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" '
             f'font-family="sans-serif" font-size="12" role="img" aria-label="Ratios of gputide against baselines">',
             '<rect width="100%" height="100%" fill="#ffffff"/>',
             text(12, 22, "gputide against each baseline of the same run", "start", "#111", 15),
             text(12, 40, "to the right of 1: better than the baseline; logarithmic scale", "start", "#555")]
    parts += grid(scale, height)
    for row, entry in enumerate(bars):
        parts += bar(scale, entry, TOP + ROW * row)
    return "\n".join([*parts, "</svg>", ""])


class Scale:
    def __init__(self, ratios: list[float]):
        self.low = math.floor(math.log2(min([*ratios, 0.5])))
        self.high = math.ceil(math.log2(max([*ratios, 2.0])))

    def x(self, ratio: float) -> float:
        return LEFT + WIDTH * (math.log2(ratio) - self.low) / (self.high - self.low)


def grid(scale: Scale, height: int) -> list[str]:
    out = []
    for power in range(scale.low, scale.high + 1):
        x = scale.x(2.0 ** power)
        color = "#444" if power == 0 else "#ddd"
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - BOTTOM}" stroke="{color}"/>')
        out.append(text(x, height - BOTTOM + 16, f"{2.0 ** power:g}", "middle", "#444"))
    return out


def bar(scale: Scale, measured: dict, y: int) -> list[str]:
    ratio = measured["ratio"]
    start, end = sorted((scale.x(1.0), scale.x(ratio)))
    color = BETTER if ratio >= 1 else WORSE
    return [text(LEFT - 8, y + 14, measured["name"], "end", "#111"),
            f'<rect x="{start:.1f}" y="{y + 3}" width="{max(end - start, 1):.1f}" height="{ROW - 6}" fill="{color}"/>',
            text(LEFT + WIDTH + 10, y + 14, f"{ratio:.2f}  {measured['baseline']}", "start", "#333")]


def text(x: float, y: float, what: str, anchor: str, color: str, size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" fill="{color}" font-size="{size}">{escape(what)}</text>'
