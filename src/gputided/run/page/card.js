// ---- a chart: x is time, y goes from 0 to a round number, with a scale beside it
// Rounds up to 1, 2, 3, 4, 5, 6 or 8 times a power of ten: 37 → 40, 0.7 → 0.8, 4 → 4.
function round_up(most) {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 3, 4, 5, 6, 8, 10].find(step => step * power >= most * (1 - 1e-9)) * power;
}

class Chart {
  // pointed: called with the pointer's position, x from 0 to 1, or null.
  constructor(label, pointed) {
    this.root = make('figure');
    this.left = make('span');
    this.right = make('span');
    const caption = make('figcaption');
    caption.append(this.left, this.right);
    this.plot = make('div', 'plot');
    this.scale = make('div', 'scale');
    this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    for (const [name, value] of [['viewBox', '0 0 300 60'], ['preserveAspectRatio', 'none'], ['role', 'img']]) this.svg.setAttribute(name, value);
    this.label(label);
    this.svg.addEventListener('pointermove', event => {
      const box = this.svg.getBoundingClientRect();
      pointed((event.clientX - box.left) / box.width);
    });
    this.svg.addEventListener('pointerleave', () => pointed(null));
    this.plot.append(this.scale, this.svg);
    this.ends = make('div', 'ends');
    this.root.append(caption, this.plot, this.ends);
  }
  label(text) { this.svg.setAttribute('aria-label', text); }
  empty(is) { this.plot.style.display = this.ends.style.display = is ? 'none' : ''; }

  // lines: [{look, points: [[ms, ...]], at(point): value or null, steps, area: fill to 0, or band: at(point) of the lower edge}].
  draw(from, to, lines, hair_ms) {
    const width = 300, height = 60, span = Math.max(1, to - from);
    let most = 0, least = 0;
    for (const line of lines) for (const point of line.points) {
      const value = line.at(point);
      if (is_known(value)) { most = Math.max(most, value); least = Math.min(least, value); }
    }
    const top = round_up(most), bottom = least < 0 ? -round_up(-least) : 0;
    const x = ms => ((ms - from) / span * width).toFixed(1);
    const y = value => (height - (value - bottom) / (top - bottom) * height).toFixed(1);
    this.svg.replaceChildren();
    for (const value of [top, (top + bottom) / 2]) draw(this.svg, 'path', { class: 'grid', d: `M0 ${y(value)}H${width}` });
    for (const line of lines) this.line(line, x, y, width);
    if (hair_ms !== null) draw(this.svg, 'path', { class: 'at', d: `M${x(hair_ms)} 0V${height}` });
    this.scale.replaceChildren(...[top, (top + bottom) / 2, bottom].map(value => make('span', '', number(value))));
    this.ends.replaceChildren(make('span', '', clock(from)), make('span', '', clock(to)));
  }
  line(line, x, y, width) {
    let path = '', open = false, start = null, end = 0;
    for (const point of line.points) {
      const value = line.at(point);
      if (!is_known(value)) { open = false; continue; }
      const px = x(point[0]), py = y(value);
      if (!open) { path += `M${px} ${py}`; start = start === null ? px : start; } else path += line.steps ? `H${px}V${py}` : `L${px} ${py}`;
      open = true;
      end = px;
    }
    if (line.points.length === 1 && path) { path += `H${width}`; end = width; }
    if (!path) return;
    if (line.area) draw(this.svg, 'path', { class: 'area', d: `${path}V${y(0)}H${start}Z` });
    if (line.band) {
      const back = [...line.points].reverse().map(point => `L${x(point[0])} ${y(line.band(point))}`).join('');
      draw(this.svg, 'path', { class: 'area', d: `${path}${back}Z` });
      return;
    }
    draw(this.svg, 'path', { class: line.look, d: path });
  }
}
// ---- a card: a scaler with its charts
const MOST_POINTS = 300;

class Card {
  constructor(name) {
    this.name = name;
    this.points = null;  // of /history.json; null: not requested yet
    this.queries = [];
    this.asked = 0;      // number of decisions covered by the points
    this.hair = null;    // index of the point under the pointer
    this.root = make('div', 'card');
    const top = make('div', 'top');
    this.badge = make('span', 'badge');
    top.append(make('h2', '', name), this.badge);
    const size = make('div', 'size');
    this.size = make('b');
    this.bounds = make('span', 'soft');
    size.append(this.size, this.bounds);
    this.why = make('div', 'soft');
    this.formula = make('div', 'soft formula');
    this.rise = make('div', 'soft');
    this.problems = make('div');
    this.replicas = new Chart('replicas', at => this.point(at));
    this.metrics = make('div', 'metrics');
    this.charts = [];
    this.ahead = new Chart('forecast', () => {});
    this.ahead_text = make('div', 'soft');
    this.root.append(top, size, this.why, this.formula, this.rise, this.problems, this.replicas.root, this.metrics, this.ahead.root, this.ahead_text);
  }
  point(at) {
    this.hair = null;
    if (at !== null && this.points && this.points.length) {
      const first = this.points[0][0], ms = first + at * (this.points[this.points.length - 1][0] - first);
      const nearer = (best, point, i) => Math.abs(point[0] - ms) < Math.abs(this.points[best][0] - ms) ? i : best;
      this.hair = this.points.reduce(nearer, 0);
    }
    this.show(this.entry, this.now_ms);
  }
  show(entry, now_ms) {
    this.entry = entry;
    this.now_ms = now_ms;
    put(this.badge, entry.is.word);
    this.badge.className = `badge ${entry.is.look}`;
    put(this.size, size_text(entry));
    put(this.bounds, this.bounds_text(entry));
    put(this.why, (entry.why ? sentence(entry.why) : 'no decision yet') + this.dry_text(entry));
    put(this.formula, entry.formula ? this.formula_text(entry) : '');
    put(this.rise, rise_text(entry.rise, now_ms));
    const texts = [...entry.problems, ...entry.notes].map((problem, i) =>
      problem_box(i < entry.problems.length ? 'problem' : 'note', problem, now_ms));
    this.problems.replaceChildren(...texts);
    while (this.charts.length < entry.metrics.length) this.add_metric();
    this.charts.forEach((chart, i) => { chart.root.hidden = i >= entry.metrics.length; });
    this.words(entry);
    this.curves(entry);
    this.forecast(entry);
  }
  // Returns for example "replicas, of 1 to 8, 3 ready; 4 GPUs, 13.60 an hour; the metrics ask for 6".
  bounds_text(entry) {
    let out = `replicas, of ${entry.min} to ${entry.max}`;
    if (!entry.decisions) return out;
    if (is_known(entry.ready)) out += `, ${entry.ready} ready`;
    out += `; ${cost_text(gpus_of(entry), cost_of(entry))}`;
    return out + (entry.proposed !== entry.desired ? `; the metrics ask for ${entry.proposed}` : '');
  }
  // Returns what would have been written, in a dry run.
  dry_text(entry) {
    if (last.mode !== 'dry run' || !entry.decisions) return '';
    const change = last.changes.find(change => change.scaler === this.name);
    if (entry.desired !== entry.current) return `. Dry run: it would write ${entry.desired} now`;
    return change ? `. Dry run: ${duration(this.now_ms - change.time_ms)} ago it would have written ${change.to} in place of ${change.from}` : '. Dry run: nothing to write so far';
  }
  // Returns for example "formula queue / 4 + busy: queue 12, busy 40 → 43 of 50, active above 0, asks for 4 replicas".
  formula_text(entry) {
    const { formula, target, value, proposed, activationTarget } = entry.formula;
    const parts = entry.metrics.map(metric => `${metric.name} ${is_known(metric.value) ? number(metric.value) : 'no value'}`);
    const result = is_known(value) ? `${number(value)}${is_known(target) ? ` of ${number(target)}` : ''}` : 'no value';
    const active = is_known(activationTarget) ? `, ${is_known(value) && !(value > activationTarget) ? 'inactive up to' : 'active above'} ${number(activationTarget)}` : '';
    return `formula ${formula}: ${parts.join(', ')} → ${result}${active}` + (is_known(proposed) ? `, asks for ${counted(proposed, 'replica')}` : '');
  }
  add_metric() {
    const chart = new Chart('', at => this.point(at));
    chart.query = make('details', 'query');
    chart.asks = make('code');
    chart.query.append(make('summary', '', 'query'), chart.asks);
    chart.root.append(chart.query);
    this.charts.push(chart);
    this.metrics.append(chart.root);
  }
  words(entry) {
    const before = this.hair === null ? null : this.points[this.hair];
    const current = before ? before[1] : entry.current;
    const size = before ? `${clock(before[0])}: ${before[1]} → ${before[2]}` : 'replicas';
    this.replicas.left.replaceChildren(make('span', '', size), make('span', 'key wanted', 'wanted'), make('span', 'key bound', `min ${entry.min}, max ${entry.max}`));
    this.charts.forEach((chart, i) => {
      const metric = entry.metrics[i];
      if (!metric) return;
      const value = before ? before[3][i] : metric.value;
      const empty = !before && metric.empty_as_zero;
      chart.left.replaceChildren(make('span', '', `${metric.name} `),
        make('b', empty ? 'bad' : '', empty ? 'empty, read as 0' : is_known(value) ? number(value) : 'no value'));
      if (!before && is_known(value) && is_known(metric.age_ms)) chart.left.append(`, ${duration(metric.age_ms + Math.max(0, this.now_ms - entry.read_ms))} old`);
      chart.right.replaceChildren(...this.keys(metric, value, current));
      chart.label(`${metric.name}: ${is_known(value) ? number(value) : 'no value'}`);
      chart.query.hidden = !this.queries[i];
      put(chart.asks, this.queries[i] || '');
    });
  }
  keys(metric, value, current) {
    const out = [];
    if (metric.target !== null) {
      const target = metric.type === 'AverageValue' ? `${number(metric.target)} per replica` : `${number(metric.target)}${metric.type === 'Utilization' ? ' %' : ''}`;
      const all = metric.type === 'AverageValue' && current > 1 ? `, ${number(target_at(metric, current))} in all` : '';
      out.push(make('span', 'key target', `target ${target}${all}`));
    }
    if (metric.activation !== null) {
      const is_inactive = is_known(value) && !(value > metric.activation);
      out.push(make('span', 'key activation', (is_inactive ? 'inactive up to ' : 'active above ') + number(metric.activation)));
    }
    return out;
  }
  curves(entry) {
    const points = this.points, any = points !== null && points.length > 0;
    for (const chart of [this.replicas, ...this.charts]) chart.empty(!any);
    if (!any) return;
    const from = points[0][0], to = points[points.length - 1][0], hair_ms = this.hair === null ? null : points[this.hair][0];
    // A maximum far above the values would flatten the curve.
    const highest = Math.max(...points.map(point => Math.max(point[1], point[2])));
    const bounds = [entry.min, entry.max].filter(bound => bound <= 2.5 * highest).map(bound => ({ look: 'bound', points, at: () => bound }));
    this.replicas.draw(from, to, [...bounds, { look: 'wanted', points, at: point => point[2], steps: true },
      { look: 'value', points, at: point => point[1], steps: true, area: true }], hair_ms);
    const sizes = points.map(point => point[1]);
    put(this.replicas.right, this.hair === null ? past(Math.min(...sizes), Math.max(...sizes), to - from) : '');
    this.charts.forEach((chart, i) => {
      const metric = entry.metrics[i];
      if (!metric) return;
      const lines = [];
      if (metric.activation !== null) lines.push({ look: 'activation', points, at: () => metric.activation });
      if (metric.target !== null) lines.push({ look: 'target', points, at: point => target_at(metric, point[1]), steps: true });
      lines.push({ look: 'value', points, at: point => point[3][i] });
      chart.draw(from, to, lines, hair_ms);
    });
  }
  // Shows the forecast: load, upper edge of the band, and wanted capacity; and the past load over the same duration.
  forecast(entry) {
    const shown = entry.forecast;
    put(this.ahead_text, shown ? shown.text : '');
    const ahead = shown && shown.ahead ? shown.ahead.map(slot => [Date.parse(slot.at), slot.forecast, slot.upper, slot.ask]) : [];
    this.ahead.root.hidden = ahead.length === 0;
    if (ahead.length === 0) return;
    const i = entry.metrics.findIndex(metric => metric.name === shown.metric), per_replica = i >= 0 && entry.metrics[i].type !== 'AverageValue';
    const end = ahead[ahead.length - 1][0];
    const load = point => is_known(point[3][i]) ? point[3][i] * (per_replica ? point[1] : 1) : null;
    const past_load = i < 0 ? [] : (this.points || []).filter(point => point[0] >= this.now_ms - (end - this.now_ms));
    const from = Math.min(ahead[0][0], past_load.length ? past_load[0][0] : this.now_ms);
    this.ahead.left.replaceChildren(make('span', '', `load of ${shown.metric} ahead`));
    this.ahead.right.replaceChildren(make('span', 'key ahead', 'forecast and band'), make('span', 'key ask', is_known(shown.floor_load) ? `asks for ${number(shown.floor_load)}` : 'asks for nothing'));
    this.ahead.draw(from, end, [{ points: ahead, at: slot => slot[2], band: slot => slot[1] }, { look: 'value', points: past_load, at: load },
      { look: 'ahead', points: ahead, at: slot => slot[1] }, { look: 'ask', points: ahead, at: slot => slot[3], steps: true }], this.now_ms);
  }
  // Requests the history once, then appends each status; requests the history again if decisions were missed.
  async follow(entry, now_ms) {
    if (!entry.decisions || this.asked === entry.decisions) return;
    if (this.points && entry.decisions === this.asked + 1 && entry.limited_by !== 'not_due') {
      this.points.push([entry.time_ms, entry.current, entry.desired, entry.metrics.map(metric => metric.value === undefined ? null : metric.value)]);
      if (this.points.length > MOST_POINTS) this.points.shift();
      this.asked = entry.decisions;
      return;
    }
    this.asked = entry.decisions;
    try {
      const answer = await ask('history.json?scaler=' + encodeURIComponent(this.name));
      this.points = answer.points;
      this.queries = answer.queries;
      this.hair = null;
      this.show(this.entry, now_ms);
    } catch (failed) { this.asked = 0; }
  }
}
