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
