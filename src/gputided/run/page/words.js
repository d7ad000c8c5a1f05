// ---- elements; all text is inserted as text, never as HTML
const find = id => document.getElementById(id);
function make(tag, className, text) {
  const out = document.createElement(tag);
  if (className) out.className = className;
  if (text !== undefined) out.textContent = text;
  return out;
}
// Sets the text if it has changed.  Remembers the text, because reading it from the document is slower.
function put(element, text) {
  if (element.written === text) return;
  element.textContent = element.written = text;
}
function draw(svg, tag, attributes) {
  const out = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) out.setAttribute(name, attributes[name]);
  svg.append(out);
  return out;
}

// ---- numbers and texts
function number(value) {
  const size = Math.abs(value);
  for (const [unit, least] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e4]]) {
    if (size >= least) return `${+(value / (unit === 'k' ? 1e3 : least)).toPrecision(4)} ${unit}`;
  }
  return String(+value.toPrecision(4));
}
function duration(ms) {
  const s = ms / 1000;
  if (s < 10) return `${Math.max(0, s).toFixed(1)} s`;
  if (s < 120) return `${Math.round(s)} s`;
  return s < 7200 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;
}
const clock = ms => new Date(ms).toLocaleTimeString([], { hour12: false });
const past = (least, most, ms) => least === most ? `${most} for ${duration(ms)}` : `${least} to ${most} in ${duration(ms)}`;
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const full_name = entry => `${entry.namespace}/${entry.name}`;
const size_text = entry => !entry.decisions ? '…' : entry.desired === entry.current ? String(entry.current) : `${entry.current} → ${entry.desired}`;
const gpus_of = entry => (entry.current || 0) * (entry.gpus_per_replica || 1);
const money = value => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
// Returns "8 GPUs, 27.20 an hour".
function cost_text(gpus, cost) { return `${number(gpus)} ${gpus === 1 ? 'GPU' : 'GPUs'}` + (is_known(cost) ? `, ${money(cost)} an hour` : ''); }
const cost_of = entry => is_known(entry.cost_per_gpu_hour) ? gpus_of(entry) * entry.cost_per_gpu_hour : null;
const sentence = text => text.replace(/^\d+ (→|stays) \d+ \(\w+\): /, '');

// ---- lateness: the rises of a load above what its replicas carry
const STAGES = [['decision_ms', 'decided'], ['write_ms', 'written'], ['ready_ms', 'ready'], ['below_ms', 'below the target again']];
// Returns for example "above its target for 40 s: decided after 0.1 s, written after 0.2 s", or "" without a rise.
function rise_text(rise, now_ms) {
  if (!rise) return '';
  const stages = STAGES.filter(([member]) => is_known(rise[member])).map(([member, word]) => `${word} after ${duration(rise[member])}`).join(', ');
  const when = rise.open ? `above its target for ${duration(now_ms - rise.began_ms)}` : `last above its target at ${clock(rise.began_ms)}`;
  return when + (stages ? `: ${stages}` : '') + (rise.cause && !rise.open ? `; mostly ${rise.cause.replace(/_/g, ' ')}` : '');
}
// Returns "late 45 s (p50), 2 min (p95)": from a rise until below the target again.
function late_text(lateness) {
  const below = lateness && lateness.below_ms;
  return below && below.count ? `late ${duration(below.p50)} (p50), ${duration(below.p95)} (p95)` : '';
}

// ---- problems: the text, the server, and the start time
// Parses an error: before its cause it has metric, trigger and URL, after it remedies.  A row shows only the server and the
// cause.
function problem_of(text, { since_ms, remedy }) {
  const place = /https?:\/\/([^\/\s"]+?)(?:[\/?]\S*)?: (?=\S)/.exec(text);
  if (!place) return { text, since_ms, remedy, server: '', cause: text };
  const [cause] = text.slice(place.index + place[0].length).split(/ \(|\. /);
  return { text, since_ms, remedy, server: place[1], cause: cause.includes(place[1]) ? cause : `${place[1]}: ${cause}` };
}
// Returns a box with age, text and remedy, unless the text contains the remedy.
function problem_box(look, problem, now_ms) {
  const out = make('div', look, age(problem, now_ms) + problem.text);
  if (problem.remedy && !problem.text.includes(problem.remedy)) out.append(make('div', 'soft', problem.remedy));
  return out;
}
const age = (problem, now_ms) => problem.since_ms ? `for ${duration(now_ms - problem.since_ms)}: ` : '';

// ---- the state of a scaler in one word; rank is for sorting
// An empty result that takes a workload to 0 ranks worse than one with remaining replicas.
const is_emptied = entry => entry.metrics.some(metric => metric.empty_as_zero) && (entry.current === 0 || entry.desired === 0);
const STEADY = { tolerance: 'steady', none: 'steady', stabilized: 'stabilizing', min: 'at its minimum', not_due: 'steady' };
function state(entry) {
  if (entry.problems.length) return { rank: is_emptied(entry) ? -1 : 0, word: 'problem', look: 'bad' };
  if (!entry.decisions) return { rank: 1, word: 'waiting', look: 'held' };
  if (entry.limited_by === 'max' && entry.proposed > entry.max) return { rank: 1, word: 'at its maximum', look: 'held' };
  if (entry.desired !== entry.current) return { rank: 2, word: entry.desired > entry.current ? 'scaling up' : 'scaling down', look: 'moves' };
  const word = STEADY[entry.limited_by] || entry.limited_by.replace(/_/g, ' ');
  return { rank: 2, word, look: STEADY[entry.limited_by] ? 'good' : 'held' };
}

// Returns the level that a value is compared with; an AverageValue is per replica.
const target_at = (metric, current) => metric.type === 'AverageValue' ? metric.target * Math.max(1, current) : metric.target;
const is_known = value => value !== null && value !== undefined;
// Returns the metric with the highest share of its target.
function hardest(entry) {
  if (entry.formula) {
    const { value, target, type } = entry.formula, metric = { name: 'formula', value, type, target: is_known(target) ? target : null };
    return { metric, share: is_known(value) && target > 0 ? value / target_at(metric, entry.current) : 0 };
  }
  let out = null, most = -1;
  for (const metric of entry.metrics) {
    const share = is_known(metric.value) && metric.target > 0 ? metric.value / target_at(metric, entry.current) : 0;
    if (share > most) { most = share; out = metric; }
  }
  return { metric: out, share: Math.max(0, most) };
}
