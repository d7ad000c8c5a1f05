// ---- the whole page
const ASK_EACH_MS = 3000, LISTED_FROM = 40;
const main = document.querySelector('main');
const items = new Map();   // by "namespace/name"
const groups = new Map();  // headings by namespace or server
let last = null;           // last response of /status.json
let failing = '';          // why the last request failed
let shown = [];            // elements in main, in order

async function ask(what) {
  const answer = await fetch(what, { cache: 'no-store', signal: AbortSignal.timeout(10000) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}

// ---- the choices are stored in the URL, so that a link or a reload shows the same
const CHOICES = ['filter', 'state', 'order', 'grouped', 'listed'];
const chosen = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const is_listed = () => chosen.listed === undefined ? last.scalers.length > LISTED_FROM : chosen.listed === 'true';
function choose(name, value) {
  chosen[name] = value;
  history.replaceState(null, '', '#' + new URLSearchParams(CHOICES.filter(entry => chosen[entry]).map(entry => [entry, chosen[entry]])));
  if (last) render();
}
if (chosen.grouped === 'true') chosen.grouped = 'namespace';  // links made by version 0.2
for (const name of CHOICES) {
  const input = find(name), is_box = input.type === 'checkbox';
  if (is_box) input.checked = chosen[name] === 'true'; else if (chosen[name] && name !== 'state') input.value = chosen[name];
  input.addEventListener('input', () => choose(name, is_box ? String(input.checked) : input.value));
}

// Lists the states with the number of scalers in each.
function offer_states() {
  const counts = new Map();
  for (const entry of last.scalers) counts.set(entry.is.word, (counts.get(entry.is.word) || 0) + 1);
  if (chosen.state && !counts.has(chosen.state)) counts.set(chosen.state, 0);
  const text = JSON.stringify([...counts].sort());
  const select = find('state');
  if (select.offered === text) return;
  select.offered = text;
  const options = [['', 'any state', ''], ...[...counts].sort().map(([word, count]) => [word, word, ` (${count})`])];
  select.replaceChildren(...options.map(([value, word, count]) => Object.assign(make('option', '', word + count), { value })));
  select.value = chosen.state || '';
}

// ---- order; scalers arrive sorted by name, which stays the order among equals
const ORDERS = {
  worst: (a, b) => a.is.rank - b.is.rank, name: () => 0, replicas: (a, b) => (b.current || 0) - (a.current || 0),
  load: (a, b) => b.hardest.share - a.hardest.share, changed: (a, b) => (b.changed_ms || 0) - (a.changed_ms || 0),
};
const total = (of, value) => of.reduce((sum, entry) => sum + value(entry), 0);
// Returns for example "3 scalers, 9 replicas, 12 GPUs, 20.40 an hour for 6 of them": without a price of the others.
function totals_text(of, noun = 'scaler', unit = 'replica') {
  const priced = of.filter(entry => is_known(cost_of(entry))), gpus = total(of, gpus_of), priced_gpus = total(priced, gpus_of);
  const part = priced.length && priced_gpus < gpus ? ` for ${number(priced_gpus)} of them` : '';
  return `${counted(of.length, noun)}, ${counted(total(of, entry => entry.current || 0), unit)}, ${cost_text(gpus, priced.length ? total(priced, cost_of) : null)}${part}`;
}
function heading(name, of) {
  if (!groups.has(name)) groups.set(name, make('h3'));
  const out = groups.get(name), bad = of.filter(entry => entry.problems.length).length;
  put(out, `${name}: ${totals_text(of)}` + (bad ? `, ${counted(bad, 'problem')}` : ''));
  return out;
}
const GROUPS = {
  namespace: entry => entry.namespace,
  server: entry => entry.problems.map(problem => problem.server).find(server => server) || (entry.problems.length ? 'other problems' : 'no problem'),
};
function wanted_nodes() {
  const name = (chosen.filter || '').trim().toLowerCase();
  const all = last.scalers.filter(entry => (!name || entry.full_name.toLowerCase().includes(name)) && (!chosen.state || entry.is.word === chosen.state));
  all.sort(ORDERS[chosen.order] || ORDERS.worst);
  const group_of = GROUPS[chosen.grouped];
  if (!group_of) return all.map(entry => items.get(entry.full_name).root);
  const found = new Map();
  for (const entry of all) {
    const name = group_of(entry);
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(entry);
  }
  return [...found].flatMap(([name, of]) => [heading(name, of), ...of.map(entry => items.get(entry.full_name).root)]);
}
function arrange() {
  const nodes = wanted_nodes();
  if (nodes.length !== shown.length || nodes.some((node, i) => node !== shown[i])) {
    const kept = new Set(nodes);
    for (const node of shown) if (!kept.has(node)) node.remove();
    let at = main.firstChild;
    for (const node of nodes) {
      if (node === at) at = at.nextSibling; else main.insertBefore(node, at);
    }
    shown = nodes;
  }
  find('none').hidden = nodes.length > 0 || (!last.scalers.length && (last.scaled_jobs || []).length > 0);
  put(find('none'), last.scalers.length ? 'no scaler matches' : 'no scaler is running');
}

// ---- the head
function summarize() {
  const all = last.scalers, words = [];
  const bad = all.filter(entry => entry.problems.length).length;
  const moving = all.filter(entry => entry.decisions && entry.desired !== entry.current).length;
  const full = all.filter(entry => entry.is.word === 'at its maximum').length;
  words.push(totals_text(all));
  if (moving) words.push(`${moving} changing`);
  if (full) words.push(`${full} at the maximum`);
  const late = late_text(last.lateness);
  if (late) words.push(late);
  if (last.mode) words.push(last.mode);
  words.push(clock(last.time_ms));
  const servers = last.servers, shared = total([...servers.values()], of => of.length - 1);
  const trouble = bad - shared + last.broken.length + last.others.filter(problem => problem.severity !== 'info').length;  // scalers that fail because of the same server count as one problem
  const first = make('span', trouble || failing ? 'bad' : '', failing || (trouble ? counted(trouble, 'problem') + (shared ? ` in ${counted(bad, 'scaler')}` : '') : 'all well'));
  find('summary').replaceChildren(first, ' · ' + words.join(' · '));
  document.title = (failing ? 'no answer' : trouble ? counted(trouble, 'problem') : 'all well') + ' · gputided';
}
// Returns a line per server that fails for several scalers: "4 scalers: 127.0.0.1:9090: cannot connect".
function server_lines() {
  return [...last.servers.values()].filter(of => of.length > 1).map(of => {
    const [{ problem }] = of, cause = of.every(other => other.problem.cause === problem.cause) ? problem.cause : `${problem.server} fails in several ways`;
    const line = make('div', 'problem', `${counted(of.length, 'scaler')}: ${age(problem, last.time_ms)}${cause}`);
    line.title = of.map(({ entry }) => entry.full_name).join(', ');
    return line;
  });
}
// Returns lines for problems without a card: watches, unreadable objects, gputided's own files.
function other_lines() {
  return last.others.map(problem => problem_box(problem.severity === 'info' ? 'note' : 'problem', { ...problem, text: `${problem.object}: ${problem.text}` }, last.time_ms));
}
// Shows all file problems in one line that can be expanded.
function show_broken() {
  const lines = server_lines().concat(other_lines()), notices = find('notices');
  const text = JSON.stringify(last.broken) + lines.map(line => line.textContent).join();
  if (notices.shown === text) return;
  notices.shown = text;
  if (!last.broken.length) { notices.replaceChildren(...lines); return; }
  const out = make('details', 'problem'), names = last.broken.map(entry => entry.file.replace(/.*\//, ''));
  const before = notices.querySelector('details');
  out.open = before ? before.open : last.broken.length === 1;
  out.append(make('summary', '', `${counted(last.broken.length, 'file')} cannot be used: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`));
  out.append(...last.broken.map(entry => make('div', '', entry.why)));
  notices.replaceChildren(out, ...lines);
}
function show_changes() {
  const box = find('changes'), all = last.changes;
  box.hidden = all.length === 0;
  if (box.hidden) return;
  const newest = all[0];
  put(box.firstElementChild, `recent changes, ${all.length}; the last ${duration(last.time_ms - newest.time_ms)} ago: ${newest.scaler} ${newest.from} → ${newest.to}`);
  if (!box.open || box.shown === newest.time_ms + all.length) return;
  box.shown = newest.time_ms + all.length;
  box.lastElementChild.replaceChildren(...all.map(entry => {
    const line = make('li'), outcome = entry.written === false ? '; it was not written' : entry.written === null ? '; dry run' : '';
    line.append(make('span', '', clock(entry.time_ms)), make('span', '', entry.scaler), make('b', '', `${entry.from} → ${entry.to}`), make('span', '', sentence(entry.why).replace(/; may change in [^;]+/, '') + outcome));
    return line;
  }));
}

// Shows the ScaledJobs of a cluster: a heading with the totals, and a line for each.
function show_jobs() {
  const all = (last.scaled_jobs || []).map(job => ({ ...job, current: job.running, gpus_per_replica: job.gpus_per_job }));
  const box = find('jobs'), text = JSON.stringify(all);
  box.hidden = all.length === 0;
  if (box.hidden || box.shown === text) return;
  box.shown = text;
  box.replaceChildren(make('h3', '', totals_text(all, 'ScaledJob', 'Job')), ...all.map(job => {
    const line = make('div', 'job');
    const jobs = is_known(job.running) ? `${counted(job.running, 'Job')}, ${job.pending} pending` : 'not polled yet';
    line.append(make('b', '', full_name(job)), make('span', 'soft', `${jobs}, of ${job.min} to ${job.max}; ${cost_text(gpus_of(job), cost_of(job))}`));
    return line;
  }));
}

// ---- problems: a scaler's problems are those of its file and those of its name
function by_object(problems) {
  const out = new Map();
  for (const problem of problems) out.set(problem.object, [...out.get(problem.object) || [], problem]);
  return out;
}
function read_problems(entry, all) {
  const known = [...all.get(entry.file) || [], ...all.get(entry.full_name) || []];
  const read = is_note => known.filter(problem => (problem.severity === 'info') === is_note)
    .map(problem => problem_of((problem.subject ? `${problem.subject}: ` : '') + problem.text, problem));
  entry.problems = read(false);
  entry.notes = read(true);
  const failed = entry.problems.find(problem => problem.server);
  if (!failed) return;
  last.servers.set(failed.server, [...last.servers.get(failed.server) || [], { entry, problem: failed }]);
}
// Takes a response of /status.json.
function take(answer) {
  last = answer;
  last.servers = new Map();  // by server: {entry, problem} of scalers that fail because of it
  const listed = by_object(last.problems || []);
  for (const entry of last.scalers) {
    entry.full_name = full_name(entry);
    read_problems(entry, listed);
    if (entry.formula) for (const metric of entry.metrics) metric.target = metric.activation = null;  // only the formula has them
    entry.is = state(entry);
    entry.hardest = hardest(entry);
  }
  const shown = new Set(last.scalers.flatMap(entry => [entry.full_name, entry.file]).concat(last.broken.map(entry => entry.file)));
  last.others = (last.problems || []).filter(problem => !shown.has(problem.object));
}

// ---- rendering
function render() {
  const names = new Set(), listed = is_listed();
  main.className = listed ? 'list' : last.scalers.length === 1 ? 'single' : '';
  find('heads').hidden = !listed;
  find('listed').checked = listed;
  for (const entry of last.scalers) {
    names.add(entry.full_name);
    if (!items.has(entry.full_name)) items.set(entry.full_name, new Item(entry.full_name));
    items.get(entry.full_name).show(entry, last.time_ms, listed);
  }
  for (const [name, item] of items) {
    if (names.has(name)) continue;
    sight.unobserve(item.root);
    items.delete(name);
  }
  offer_states();
  arrange();
  show_broken();
  show_changes();
  show_jobs();
  summarize();
}
async function refresh() {
  try {
    take(await ask('status.json'));
    failing = '';
  } catch (failed) {
    failing = last ? `no answer since ${clock(last.time_ms)}` : 'no answer';
    if (!last) { put(find('summary'), failing); return; }
  }
  render();
}

find('changes').addEventListener('toggle', () => { if (last) show_changes(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
setInterval(() => { if (!document.hidden) refresh(); }, ASK_EACH_MS);
refresh();
