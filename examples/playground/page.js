// Joins the parts: input → two replays, the manifest's own and the sliders' → figures, chart, patch, link.
'use strict';

const byId = (id) => document.getElementById(id);

// label, unit, bounds from the manifest's own value
const SLIDERS = {
  threshold: { label: 'Threshold', bounds: (own) => [own / 5, own * 3, own / 50] },
  min: { label: 'Minimum', bounds: (own) => [0, Math.max(10, own * 3), 1] },
  max: { label: 'Maximum', bounds: (own) => [1, Math.max(10, own * 2), 1] },
  down_window_s: { label: 'Scale-down window', unit: ' s', bounds: () => [0, 3600, 15] },
  cooldown_s: { label: 'Cooldown', unit: ' s', bounds: () => [0, 3600, 15] },
  startup_s: { label: 'Start-up', unit: ' s', bounds: () => [0, 900, 5] },
};

const FIGURES = [
  ['GPU-hours', (summary) => summary.gpu_hours, 1],
  ['cost', (summary) => summary.cost, 2],
  ['minutes above target', (summary) => summary.minutes_above_target, 1],
  ['late: minutes waiting for a start-up', (summary) => summary.minutes_starting, 1],
  ['changes of the size', (summary) => summary.scale_ups + summary.scale_downs, 0],
  ['flaps', (summary) => summary.flaps, 0],
  ['maximum of the replicas', (summary) => summary['most_replicas'], 0],
];

const state = { policy: null, series: null, own: {}, now: {}, before: null, report: null };

const rounded = (value) => Number(value.toPrecision(4));

function settings(values) {
  const { startup_s: startup, ...set } = values;
  const isClosed = state.series.sizes > 0;
  const changed = Object.fromEntries(Object.entries(set).filter(([name, value]) => value !== state.own[name]));
  const out = { model: isClosed ? 'closed' : 'open', chart_points: 1000, set: changed };
  if (isClosed) Object.assign(out, { signal: signal(), startup_ms: [startup * 1000] });
  return out;
}

function signal() {
  const chosen = byId('recording').value;
  return chosen === 'own' ? byId('signal').value : Recordings[chosen].signal;
}

function complain(why) {
  byId('problem').textContent = why ? `${why.where ? `${why.where}: ` : ''}${why.error}` : '';
}

// Shows an error that no other code handled.  After a RuntimeError the library is not usable, so it is started again.
async function fail(problem) {
  complain({ error: problem?.message ?? String(problem) });
  if (!(problem instanceof WebAssembly.RuntimeError)) return;
  state.before = null;
  try {
    await Engine.open();
    complain({ error: `the library stopped (${problem.message}) and was started again; change a setting to replay again` });
  } catch (again) {
    complain({ error: again.message });
  }
}

// A page of the file system gets no error events of its own scripts: each handler catches its errors itself.
const guarded = (handler) => async (...given) => {
  try { await handler(...given); } catch (problem) { await fail(problem); }
};

const on = (target, type, handler) => target.addEventListener(type, guarded(handler));

// Replays with the sliders and shows the result.
function update() {
  if (!state.before) return load(state.now);
  const begun = performance.now();
  const report = Engine.replay(byId('manifest').value, settings(state.now));
  complain(report.error ? report : null);
  if (report.error) return;
  state.report = report;
  showFigures(state.before.summary, report.summary);
  byId('warnings').replaceChildren(...report.warnings.map((warning) => Object.assign(document.createElement('li'), { textContent: warning })));
  Chart.show(report, state.before);
  const changed = settings(state.now).set;
  byId('patch').textContent = Patch.text(state.policy, byId('manifest').value, changed);
  document.body.dataset.updateMs = (performance.now() - begun).toFixed(1);
}

function showFigures(before, now) {
  const rows = FIGURES.map(([name, figure, digits]) => {
    const [a, b] = [figure(before) ?? 0, figure(now) ?? 0];
    const row = document.createElement('tr');
    const change = b - a;
    const share = a === 0 ? '' : ` (${change > 0 ? '+' : ''}${((100 * change) / a).toFixed(0)} %)`;
    for (const text of [name, a.toFixed(digits), b.toFixed(digits), `${change > 0 ? '+' : ''}${change.toFixed(digits)}${share}`]) {
      const cell = document.createElement(row.children.length === 0 ? 'th' : 'td');
      if (row.children.length === 0) cell.scope = 'row';
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  });
  byId('figures').tBodies[0].replaceChildren(...rows);
}

// Explains the moment under the cursor by the last change before it.
function explain(report, index) {
  const { chart, events } = report;
  const time = chart.time_ms[index];
  const event = events.findLast((change) => change.time_ms <= time);
  let text = `${Chart.day(time)}: metric ${chart.value_high[index] ?? 'without a value'}, ${chart.replicas[index]} replicas, ` +
    `${chart.ready[index]} ready, ${chart.proposed[index]} proposed.`;
  if (event) text += ` Last change ${Chart.day(event.time_ms)}: ${event.current_replicas} → ${event.desired_replicas}. ${event.text ?? event.reason}`;
  byId('moment').textContent = text;
}

function makeSliders() {
  const rows = Object.entries(SLIDERS).filter(([name]) => state.own[name] !== undefined).map(([name, slider]) => {
    const [low, high, step] = slider.bounds(state.own[name]).map(rounded);
    const row = document.createElement('div');
    row.className = 'slider';
    const label = Object.assign(document.createElement('label'), { htmlFor: name, textContent: slider.label });
    const input = Object.assign(document.createElement('input'), { type: 'range', id: name, min: low, max: high, step });
    const output = document.createElement('output');
    const show = () => {
      output.textContent = `${state.now[name]}${slider.unit ?? ''}`;
      row.classList.toggle('changed', state.now[name] !== state.own[name]);
    };
    input.value = state.now[name];
    on(input, 'input', () => {
      const near = Math.abs(Number(input.value) - state.own[name]) < step / 2;
      state.now[name] = near ? state.own[name] : Number(input.value);
      show();
      update();
    });
    show();
    row.append(label, input, output);
    return row;
  });
  byId('sliders').replaceChildren(...rows);
}

// The manifest's own values, as describe gives them.
function ownValues(policy) {
  const metric = policy.metrics[0];
  const down = policy.behavior?.scaleDown?.stabilizationWindowSeconds ?? policy.controller?.downscaleStabilizationSeconds ?? 300;
  const chosen = byId('recording').value;
  return {
    threshold: metric.target ?? metric.averageUtilization,
    min: policy.minReplicaCount ?? policy.minReplicas,
    max: policy.maxReplicaCount ?? policy.maxReplicas,
    down_window_s: down,
    cooldown_s: policy.cooldownPeriod,
    startup_s: chosen === 'own' ? 120 : Recordings[chosen].startup,
  };
}

// Reads manifest and recording anew; the sliders keep what `kept` says.
function load(kept = {}) {
  state.before = null;
  const text = byId('recording').value === 'own' ? byId('csv').value : Recordings[byId('recording').value].csv();
  if (text.trim() === '') return complain({ error: 'paste or drop a recording' });
  state.series = Engine.readSeries(text);
  if (state.series.error) return complain(state.series);
  byId('described').textContent = `${state.series.points} points from ${state.series.from.slice(0, 16)} to ${state.series.to.slice(0, 16)} UTC, a point each ` +
    `${state.series.step_ms / 1000} s${state.series.sizes > 0 ? '' : '; without replicas, so the metric stays as recorded'}`;
  state.policy = Engine.describe(byId('manifest').value);
  if (state.policy.error) return complain(state.policy);
  state.own = ownValues(state.policy);
  state.now = { ...state.own, ...kept };
  const before = Engine.replay(byId('manifest').value, settings(state.own));
  if (before.error) return complain(before);
  state.before = before;
  makeSliders();
  update();
}

function choose() {
  const chosen = byId('recording').value;
  byId('own').hidden = chosen !== 'own';
  if (chosen !== 'own') byId('manifest').value = Recordings[chosen].manifest;
  load();
}

async function packed(text, stream) {
  const bytes = await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer();
  return new Uint8Array(bytes);
}

// The page's state as a URL fragment, which no server sees.
async function link() {
  const isOwn = byId('recording').value === 'own';
  const shared = { recording: byId('recording').value, manifest: byId('manifest').value, now: state.now };
  if (isOwn) Object.assign(shared, { csv: byId('csv').value, signal: byId('signal').value });
  const bytes = await packed(JSON.stringify(shared), new CompressionStream('deflate-raw'));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_');
  return `${location.href.split('#')[0]}#${text}`;
}

async function openLink() {
  const text = location.hash.slice(1).replaceAll('-', '+').replaceAll('_', '/');
  if (text === '') return choose();
  let now;
  try {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const shared = JSON.parse(new TextDecoder().decode(await packed(bytes, new DecompressionStream('deflate-raw'))));
    byId('recording').value = shared.recording;
    byId('own').hidden = shared.recording !== 'own';
    byId('manifest').value = shared.manifest;
    byId('csv').value = shared.csv ?? '';
    byId('signal').value = shared.signal ?? 'total';
    now = shared.now;
  } catch (problem) {
    return complain({ error: `the link cannot be read: ${problem.message}` });
  }
  load(now);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    byId('said').textContent = `${what} copied.`;
  } catch {
    byId('said').textContent = text;
  }
}

async function takeFile(file) {
  const text = await file.text();
  byId('recording').value = 'own';
  byId('own').hidden = false;
  byId('csv').value = text;
  load();
}

function listen() {
  on(window, 'error', (event) => fail(event.error ?? event.message));
  on(window, 'unhandledrejection', (event) => fail(event.reason));
  on(window, 'hashchange', openLink);
  on(byId('recording'), 'change', choose);
  for (const id of ['manifest', 'csv', 'signal']) on(byId(id), 'change', () => load());
  on(byId('file'), 'change', (event) => takeFile(event.target.files[0]));
  on(document, 'dragover', (event) => event.preventDefault());
  on(document, 'drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) return takeFile(event.dataTransfer.files[0]);
  });
  on(byId('reset'), 'click', () => { state.now = { ...state.own }; makeSliders(); update(); });
  on(byId('copy'), 'click', () => copy(byId('patch').textContent, 'Patch'));
  on(byId('share'), 'click', async () => {
    const url = await link();
    copy(url, 'Link'); // first, as it works also where replaceState refuses a long URL
    history.replaceState(null, '', url);
  });
  Chart.open(byId('chart'), guarded(explain));
}

guarded(async () => {
  await Engine.open();
  listen();
  await openLink();
})();
