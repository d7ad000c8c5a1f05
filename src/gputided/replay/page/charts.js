// Charts over time, with uPlot.  Long series are reduced to about one point per two pixels, again after each zoom.
const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const FOLDS = {
  highest: (values, from, to) => { let out = null; for (let i = from; i < to; i++) if (values[i] !== null && (out === null || values[i] > out)) out = values[i]; return out; },
  lowest: (values, from, to) => { let out = null; for (let i = from; i < to; i++) if (values[i] !== null && (out === null || values[i] < out)) out = values[i]; return out; },
  mean: (values, from, to) => { let sum = 0, count = 0; for (let i = from; i < to; i++) if (values[i] !== null) { sum += values[i]; count++; } return count ? sum / count : null; },
};
// Reduces the points between two times.  Keeps the first and last time of the series, without values, so that a double click
// shows all.
function folded(times, columns, from, to, most) {
  let first = 0, end = times.length;
  while (first + 1 < end && times[first + 1] <= from) first++;
  while (end - 1 > first && times[end - 2] >= to) end--;
  const each = Math.max(1, Math.ceil((end - first) / most)), out = [[], ...columns.map(() => [])];
  const take = (i, next) => { out[0].push(times[i]); columns.forEach((column, k) => out[k + 1].push(FOLDS[column.fold](column.values, i, next))); };
  const edge = time => { out[0].push(time); columns.forEach((column, k) => out[k + 1].push(null)); };
  if (first > 0) edge(times[0]);
  for (let i = first; i < end; i += each) take(i, Math.min(i + each, end));
  if (end < times.length) edge(times[times.length - 1]);
  return out;
}

const day_text = s => new Date(s * 1000).toISOString().slice(5, 10);
const hours = (u, splits, index, space, step) => splits.map((s, i) => {
  if (step >= 86400) return day_text(s);
  return new Date(s * 1000).toISOString().slice(11, step < 60 ? 19 : 16) + (i === 0 || day_text(s) !== day_text(splits[i - 1]) ? "\n" + day_text(s) : "");
});
const axis = more => ({ stroke: () => color("soft"), grid: { stroke: () => color("line"), width: 1 }, ticks: { stroke: () => color("line") }, ...more });
// Returns the width of the longest label.
const label_width = (u, labels) => Math.max(40, 18 + 7.5 * Math.max(...(labels || []).map(label => String(label).length), 0));

// Shades intervals from top to bottom; `shares` (0 to 1) set the opacity.
function shade(u, name, times, shares) {
  u.ctx.save();
  u.ctx.fillStyle = color(name);
  for (let i = 0; i < times.length; i++) {
    if (!shares[i]) continue;
    const left = u.valToPos(times[i], "x", true), right = u.valToPos(times[i + 1] ?? times[i], "x", true);
    const from = Math.max(left, u.bbox.left), to = Math.min(Math.max(right, left + 1), u.bbox.left + u.bbox.width);
    u.ctx.globalAlpha = Math.max(.15, shares[i]);
    if (to > from) u.ctx.fillRect(from, u.bbox.top, to - from, u.bbox.height);
  }
  u.ctx.restore();
}
// Draws horizontal lines with names, such as minimum and maximum.
function marks(u, lines) {
  const scale = devicePixelRatio;
  u.ctx.save();
  u.ctx.font = 11 * scale + "px system-ui, sans-serif";
  for (const [name, value] of lines) {
    if (value < u.scales.y.min || value > u.scales.y.max) continue;
    const y = Math.round(u.valToPos(value, "y", true)), text = name + " " + figure(value, 3);
    u.ctx.strokeStyle = u.ctx.fillStyle = color("soft");
    u.ctx.setLineDash([2 * scale, 4 * scale]);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
    u.ctx.fillText(text, u.bbox.left + u.bbox.width - u.ctx.measureText(text).width - 4 * scale, y - 4 * scale);
  }
  u.ctx.restore();
}

const linked = typeof uPlot === "undefined" ? null : uPlot.sync("replay"), charts = [];
const stepped = linked && uPlot.paths.stepped({ align: 1 });
// columns: [{ label, color, width, dash, values, fold, stepped, band: color of the area down to the next column, digits }].
// options: { wholes: axis with whole numbers, marks: [[name, value]], shades: [[color, values]] }.
function time_chart(at, times, columns, options = {}) {
  const most = () => Math.max(120, Math.floor(at.clientWidth / 2)), high = () => Math.max(210, Math.min(340, at.clientWidth * .42));
  const shades = (options.shades || []).map(([name, values]) => ({ name, values, fold: "mean" })), all = [...columns, ...shades];
  let data = folded(times, all, times[0], times[times.length - 1], most()), zoom = "";
  const drawn = () => data.slice(0, columns.length + 1), newest = () => { let i = data[0].length - 1; while (i > 0 && data[1][i] === null) i--; return i; };
  const refold = (u, from, to) => {
    if (zoom === from + " " + to) return;
    zoom = from + " " + to;
    data = folded(times, all, from, to, most());
    u.setData(drawn(), false);
    u.setScale("x", { min: from, max: to });
  };
  const series = columns.map(column => ({ label: column.label, stroke: () => color(column.color), width: column.width || 1.5, dash: column.dash,
    paths: column.stepped ? stepped : undefined, points: { show: false }, value: (u, value) => value === null || value === undefined ? "–" : figure(value, column.digits ?? 2) }));
  const bands = columns.flatMap((column, i) => column.band ? [{ series: [i + 1, i + 2], fill: () => color(column.band) }] : []);
  const made = new uPlot({ width: at.clientWidth, height: high(), tzDate: s => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"), bands,
    cursor: { sync: { key: linked.key }, drag: { x: true, y: false } }, scales: { y: { range: (u, low, top) => [Math.min(0, low), Math.max(top * 1.08, 1)] } },
    legend: { markers: { width: 2, dash: (u, i) => i > 0 && columns[i - 1].dash ? "dashed" : "solid", fill: (u, i) => i > 0 && !columns[i - 1].dash ? color(columns[i - 1].color) : "transparent" } },
    axes: [axis({ values: hours }), axis({ size: label_width, ...(options.wholes ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000] } : {}) })],
    series: [{ label: "time (UTC)", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" }, ...series],
    hooks: { drawClear: [u => shades.forEach((entry, k) => shade(u, entry.name, data[0], data[columns.length + 1 + k]))], draw: [u => marks(u, options.marks || [])],
      setScale: [(u, name) => { if (name === "x" && u.scales.x.min !== undefined) queueMicrotask(() => refold(u, u.scales.x.min, u.scales.x.max)); }],
      setLegend: [u => { if (u.legend.idx === null || u.legend.idx === undefined) u.setLegend({ idx: newest() }, false); }] } }, drawn(), at);
  made.setLegend({ idx: newest() });   // without a pointer the legend shows the last values
  charts.push(made);
  const fit = (width, height) => { made.setSize({ width, height }); made.redraw(); };
  new ResizeObserver(() => fit(at.clientWidth, high())).observe(at);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => made.redraw());
  addEventListener("beforeprint", () => fit(680, 260));
  addEventListener("afterprint", () => fit(at.clientWidth, high()));
}
// Adds buttons for devices without a mouse: the last hour, day, week or month, all, earlier, later.
function zoom_buttons(to, times) {
  const first = times[0], last = times[times.length - 1], show = (from, end) => charts.forEach(u => u.setScale("x", { min: Math.max(from, first), max: Math.min(end, last) }));
  const shown = () => charts[0].scales.x;
  const button = (text, name, act) => { const made = add(to, "button", text); made.type = "button"; made.title = name; made.setAttribute("aria-label", name); made.addEventListener("click", act); };
  for (const [text, length] of [["1 h", 3600], ["6 h", 21600], ["1 day", 86400], ["1 week", 604800], ["30 days", 2592000]]) {
    if (length >= last - first) continue;
    button(text, "show " + text, () => { const end = Math.max(Math.min(shown().max, last), first + length); show(end - length, end); });
  }
  if (!to.childElementCount) return;
  button("all", "show all", () => show(first, last));
  for (const [text, name, sign] of [["←", "earlier", -1], ["→", "later", 1]]) button(text, name, () => {
    const length = shown().max - shown().min, from = Math.min(Math.max(shown().min + sign * length * .8, first), last - length);
    show(from, from + length);
  });
  add(to, "span", "or drag over a chart; a double click shows all", "soft");
}
// Mean and peak by hour of day, over all days of a recording.
const DAY_HOURS = [...Array(24).keys()], hour_name = hour => String(hour).padStart(2, "0") + ":00";
function each_hour(times, values, fold) {
  return DAY_HOURS.map(hour => { const own = values.filter((value, i) => Math.floor(times[i] / 3600) % 24 === hour); return FOLDS[fold](own, 0, own.length); });
}
// of: { name, means, peaks }, with a value or null per hour.
function hour_strip(to, of) {
  const top = Math.max(...of.peaks, 1e-9), known = DAY_HOURS.filter(hour => of.means[hour] !== null).sort((a, b) => of.means[a] - of.means[b]);
  if (known.length === 0) return;
  const told = hour => figure(of.means[hour]) + " at " + hour_name(hour), text = of.name + ": highest mean " + told(known[known.length - 1]) + ", lowest " + told(known[0]);
  add(to, "div", text, "soft");
  const strip = add(to, "div", undefined, "hours"), names = add(to, "div", undefined, "hour-names soft");
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", text);
  for (const hour of DAY_HOURS) {
    const bar = add(strip, "div");
    bar.title = hour_name(hour) + ": mean " + figure(of.means[hour] ?? 0) + ", peak " + figure(of.peaks[hour] ?? 0);
    for (const [kind, values] of [["peak", of.peaks], ["mean", of.means]]) add(bar, "i", undefined, kind).style.height = Math.max(values[hour] ?? 0, 0) / top * 100 + "%";
  }
  for (const hour of [0, 6, 12, 18]) add(names, "span", hour_name(hour));
}
function hour_figures(to, parts) {
  const more = add(to, "details"), cell = value => value === null ? "–" : figure(value);
  add(more, "summary", "figures");
  const body = table(add(more, "div", undefined, "scroll"), ["hour", ...parts.flatMap(of => [of.name + ": mean", "peak"])]);
  for (const hour of DAY_HOURS) {
    const row = add(body, "tr");
    add(row, "td", hour_name(hour));
    for (const of of parts) for (const values of [of.means, of.peaks]) add(row, "td", cell(values[hour]), "number");
  }
}
// Returns false, and shows nothing, for less than two days and for points that are longer than an hour.
function hour_view(to, times, chart) {
  const length_s = times[times.length - 1] - times[0], point_s = length_s / Math.max(1, times.length - 1);
  if (!(length_s >= 47 * 3600) || point_s > 3600) return false;
  const part = (name, means, peaks) => ({ name, means: each_hour(times, means, "mean"), peaks: each_hour(times, peaks, "highest") });
  const parts = [part("metric", chart.value_mean, chart.value_high), part("replicas", chart.ready, chart.replicas)];
  for (const of of parts) hour_strip(to, of);
  hour_figures(to, parts);
  return true;
}
