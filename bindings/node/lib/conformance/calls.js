// Each call of protocol 1 as a user of this package would write it, under its C function's name without gputide_, the first
// underscore a dot.
'use strict';

const gputide = require('../index.js');
const numbers = require('../words.js');
const values = require('./values.js');

const NEVER_MS = '9223372036854775807';

/** A call whose result is one member. */
const gives = (member, value) => async (one) => {
  one.result[member] = await value(one);
};
const opens = (make) => async (one) => one.opens(await make(one));
const named = (nameFunction, argument) => gives('name', (one) => word(nameFunction, one.integer(argument)));

/** The library's own word, also for a number that it has no name for. */
function word(nameFunction, number) {
  const found = numbers.word(nameFunction, number);
  return typeof found === 'string' ? found : nameFunction === 'status_name' ? 'E_UNKNOWN' : 'unknown';
}

const source = (one) => one.handle('source', gputide.Source);
const samples = (one) => one.handle('samples', gputide.Samples);
const credential = (one) => one.handle('credential', gputide.Credential);
const state = (one) => one.handle('state', gputide.State);
const scaler = (one) => one.handle('scaler', gputide.Scaler);
const runtime = (one) => one.handle('runtime', gputide.Runtime);
const series = (one) => one.handle('series', gputide.Series);
const replay = (one) => one.handle('replay', gputide.Replay);
const forecast = (one) => one.handle('forecast', gputide.Forecast);
const rightsize = (one) => one.handle('rightsize', gputide.Rightsize);
const waits = (one) => ({ now: one.integer('now_ms'), timeout: one.integer('timeout_ms') });
const of = (one) => ({ container: one.integer('container'), now: one.integer('now_ms') });

function releaseNumber() {
  const [major, minor, patch] = gputide.libraryVersion().split('.').map(Number);
  return major * 1_000_000 + minor * 1_000 + patch;
}

function featureBits() {
  const known = gputide.features();
  return ['yaml', 'http2'].reduce((bits, name, bit) => bits | (known.has(name) ? 1 << bit : 0), 0);
}

/** A failed read gives its sample beside the error. */
const reads = (read) => async (one) => {
  try {
    one.result.sample = values.sample(await read(one));
  } catch (error) {
    if (error.sample !== undefined) one.result.sample = values.sample(error.sample);
    throw error;
  }
};

/** A record of the decision that is named. */
const records = (record) => (one) => {
  const decision = one.handle('decision', gputide.Decision);
  record(one, decision, one.integer('applied') !== 0, one.integer('now_ms'), one.arguments.message);
  one.result.decision = values.decision(decision);
};

const library = {
  version: gives('version', () => gputide.libraryVersion()),
  'version.number': gives('number', releaseNumber),
  'abi.version': gives('number', () => gputide.ABI_VERSION),
  features: gives('features', featureBits),
  'build.info': gives('json', () => gputide.buildInfo().text),
  'status.name': named('status_name', 'status'),
  'action.name': named('action_name', 'action'),
  'sample.state_name': named('sample_state_name', 'state'),
  'limit.name': named('limit_name', 'limit'),
  'condition.name': named('condition_name', 'condition'),
  'reason.name': named('reason_name', 'reason'),
  'event.name': named('event_name', 'event'),
  'event.kind_name': named('event_kind_name', 'kind'),
};

const credentials = {
  'credential.open': opens((one) => new gputide.Credential(one.text('text'), one.options())),
  'credential.token': async (one) => {
    const token = await credential(one).token(one.text('scope'), { timeout: one.integer('timeout_ms') });
    one.result.token = token.value;
    one.result.info = {
      expires_at_ms: values.ms(token.expires),
      refresh_at_ms: values.ms(token.refresh),
      usable_until_ms: values.ms(token.usableUntil),
    };
  },
  'credential.invalidate': (one) => credential(one).invalidate(one.text('scope'), one.text('token')),
  'token.claims': gives('json', (one) => gputide.tokenClaims(one.text('token')).text),
};

const sources = {
  'source.open': opens((one) => new gputide.Source(one.text('text'), one.options())),
  'source.fetch': reads((one) => source(one).fetch(waits(one))),
  'source.fetch_all': opens((one) => source(one).fetchAll(waits(one))),
  'source.parse': reads((one) => source(one).parse(one.integer('http_status'), one.text('body'))),
  'source.parse_all': opens((one) => source(one).parseAll(one.integer('http_status'), one.text('body'), one.text('headers'))),
  'source.request': gives('json', (one) => source(one).request(one.integer('now_ms')).text),
  'source.describe': gives('json', (one) => source(one).describe().text),
  'samples.count': gives('count', (one) => samples(one).length),
  'samples.get': gives('sample', (one) => values.sample(samples(one).get(one.integer('index')))),
  'samples.labels': gives('labels', (one) => samples(one).labels(one.integer('index'))?.text ?? null),
  'samples.describe': gives('json', (one) => samples(one).describe().text),
  quantity: gives('milli', (one) => values.outInteger(gputide.quantity(one.text('text')))),
};

const policies = {
  'policy.open': opens((one) => new gputide.Policy(one.text('text'), one.options())),
  'policy.metric_count': gives('count', (one) => one.policy().metrics.length),
  'policy.metric_name': gives('name', (one) => one.policy().metrics[one.integer('index')] ?? null),
  'policy.describe': gives('json', (one) => one.policy().describe().text),
  'state.new': (one) => {
    one.opens(one.policy().newState(one.integer('created_ms')));
    one.belongsTo(one.arguments.policy);
  },
  'state.clone': (one) => {
    one.opens(state(one).clone());
    one.belongsTo(one.policies.get(one.arguments.state));
  },
  'state.load': (one) => {
    one.opens(one.policy().loadState(one.text('text'), { unchecked: one.integer('flags') !== 0 }));
    one.belongsTo(one.arguments.policy);
  },
  'state.save': gives('text', (one) => state(one).save()),
  'state.describe': gives('json', (one) => state(one).describe().text),
  'state.record': records((one, decision, ...how) => state(one).record(decision, ...how)),
  decide: (one) => one.decided(state(one).decide(one.seen(), { report: one.flag('report') })),
  'decide.values': (one) => {
    const numbersNow = (one.arguments.values ?? []).map(values.real);
    const seen = { current: one.integer('current_replicas'), samples: numbersNow, now: one.integer('now_ms') };
    one.decided(state(one).decide(seen));
  },
  'trace.render': gives('lines', (one) => gputide.render(one.text('report'))),
};

const scalers = {
  'scaler.open': opens((one) => new gputide.Scaler(one.text('manifest'), one.options())),
  'scaler.tick': async (one) => {
    const options = { timeout: one.integer('timeout_ms'), report: one.flag('report') };
    one.decided(await scaler(one).tick(one.seen(), options));
  },
  'scaler.fetch': gives('samples', async (one) => (await scaler(one).fetch(waits(one))).map(values.sample)),
  'scaler.decide': (one) => one.decided(scaler(one).decide(one.seen(), { report: one.flag('report') })),
  'scaler.record': records((one, decision, ...how) => scaler(one).record(decision, ...how)),
  'scaler.metric_count': gives('count', (one) => scaler(one).metrics.length),
  'scaler.metric_name': gives('name', (one) => scaler(one).metrics[one.integer('index')] ?? null),
  'scaler.conditions': gives('json', (one) => scaler(one).conditions().text),
  'scaler.metrics': gives('json', (one) => scaler(one).lastMetrics().text),
  'scaler.describe': gives('json', (one) => scaler(one).describe().text),
  'scaler.save': gives('text', (one) => scaler(one).save()),
  'scaler.load': (one) => scaler(one).load(one.text('text')),
  'manifest.check': (one) => {
    const { report, lines, error } = gputide.checkManifest(one.text('manifest'), one.options());
    if (report !== null) Object.assign(one.result, { report: report.text, lines });
    if (error !== null) throw error;
  },
  doctor: async (one) => {
    const seen = one.has('seen') ? one.seen() : undefined;
    const { timeout } = waits(one);
    const found = await gputide.doctor(one.text('manifest'), { options: one.options(), seen, timeout });
    Object.assign(one.result, { report: found.report.text, lines: found.lines });
  },
};

const runtimes = {
  'runtime.new': opens((one) => new gputide.Runtime(values.runtimeOptions(one.arguments.options ?? {}))),
  'runtime.add': gives('id', (one) => {
    const id = runtime(one).add(one.text('manifest'), { ...one.options(), tag: one.integer('tag') });
    return values.outInteger(id);
  }),
  'runtime.replace': (one) => {
    const tag = one.has('tag') ? one.integer('tag') : undefined;
    runtime(one).replace(one.integer('id'), one.text('manifest'), { ...one.options(), tag });
  },
  'runtime.remove': (one) => runtime(one).remove(one.integer('id')),
  'runtime.find': gives('id', (one) => values.outInteger(runtime(one).find(one.text('name')))),
  'runtime.next_scaler': gives('id', (one) => values.outInteger(runtime(one).nextScaler(one.integer('after_id')))),
  'runtime.observe': (one) => runtime(one).observe(one.integer('id'), one.seen()),
  'runtime.push': (one) => runtime(one).push(one.integer('id'), values.samplesIn(one.arguments.samples)),
  'runtime.next_event': async (one) => {
    const event = await runtime(one).nextEvent({ timeout: one.integer('timeout_ms') });
    if (event === null) {
      one.result.error = values.refused(gputide.Status.NO_DATA, new Error('no event came in time'));
      return;
    }
    one.result.event = values.event(event);
    if (event.decision !== null) one.decided(event.decision);
    if (event.report !== null) one.result.report = event.report.text;
  },
  'runtime.record': records((one, decision, ...how) => {
    runtime(one).recordDecision(one.integer('id'), decision, ...how);
  }),
  'runtime.save': gives('text', (one) => runtime(one).save(one.integer('id'))),
  'runtime.load': (one) => runtime(one).load(one.integer('id'), one.text('text')),
  'runtime.describe': gives('json', (one) => runtime(one).describe(one.integer('id')).text),
  'runtime.stats': gives('json', (one) => runtime(one).stats().text),
  'runtime.attach_cluster': (one) => runtime(one).attachCluster(one.text('settings'), one.options()),
  'runtime.detach_cluster': (one) => runtime(one).detachCluster({ timeout: one.integer('timeout_ms') }),
  'runtime.describe_cluster': gives('json', (one) => runtime(one).describeCluster().text),
  'runtime.start': (one) => runtime(one).start(),
  'runtime.stop': (one) => runtime(one).stop({ timeout: one.integer('timeout_ms') }),
  'runtime.close': (one) => runtime(one).close({ timeout: one.integer('timeout_ms') }),
  'runtime.step': gives('next_ms', (one) => runtime(one).step(one.integer('now_ms')) ?? NEVER_MS),
  'runtime.wake_fd': gives('fd', (one) => runtime(one).wakeFd()),
};

const replays = {
  'series.new': opens(() => new gputide.Series()),
  'series.add': (one) => {
    const { times_ms: times, values: given } = one.arguments;
    series(one).add(one.integer('metric'), times.map(values.integer), given.map(values.real));
  },
  'series.add_replicas': (one) => {
    const { times_ms: times, replicas } = one.arguments;
    series(one).addReplicas(times.map(values.integer), replicas.map(values.integer));
  },
  'series.read': (one) => {
    const metric = one.integer('metric');
    series(one).read(one.text('text'), { metric: metric === 2 ** 32 - 1 ? null : metric, scaler: one.text('scaler') || null });
  },
  'series.fetch': async (one) => {
    const [metric, from, to, step] = ['metric', 'from_ms', 'to_ms', 'step_ms'].map((name) => one.integer(name));
    await series(one).fetch(scaler(one), { metric, from, to, step, timeout: one.integer('timeout_ms') });
  },
  'series.write': gives('csv', (one) => series(one).write()),
  'series.describe': gives('json', (one) => series(one).describe().text),
  'replay.open': opens((one) => {
    const settings = one.text('settings') || null;
    return new gputide.Replay(one.text('manifest'), { ...one.options(), settings });
  }),
  'replay.run': (one) => replay(one).run(series(one)),
  'replay.record': (one) => {
    const given = values.samplesIn(one.arguments.samples ?? []);
    const options = one.has('replicas') ? { replicas: one.integer('replicas') } : undefined;
    one.result.decision = values.decision(replay(one).record(one.integer('time_ms'), given, options));
  },
  'replay.report': gives('json', (one) => replay(one).report().text),
};

const forecasts = {
  'forecast.open': opens((one) => new gputide.Forecast(one.text('settings') || null)),
  'forecast.step': (one) => forecast(one).step(one.integer('now_ms'), values.real(one.arguments.load)),
  'forecast.ask': (one) => {
    const floor = forecast(one).ask(values.real(one.arguments.target), {
      reactiveReplicas: one.integer('reactive_replicas'),
      currentReplicas: one.integer('current_replicas'),
      maxReplicas: one.integer('max_replicas'),
    });
    if (one.has('as')) one.opens(floor);
    one.result.floor = values.floor(floor);
  },
  'forecast.book': (one) => {
    const written = one.has('floor') ? one.handle('floor', Object).replicas : one.integer('written_replicas');
    forecast(one).book(written, one.integer('shadow_replicas'));
  },
  'forecast.describe': gives('json', (one) => forecast(one).describe().text),
  'forecast.save': gives('text', (one) => forecast(one).save()),
  'forecast.load': (one) => forecast(one).load(one.text('text')),
};

const rightsizes = {
  'rightsize.open': opens((one) => new gputide.Rightsize(one.text('settings'), one.options())),
  'rightsize.describe': gives('json', (one) => rightsize(one).describe().text),
  'rightsize.container': gives('number', (one) => rightsize(one).container(one.text('name'))),
  'rightsize.add': gives('taken', (one) => rightsize(one).add(values.usageSamplesIn(one.arguments.samples))),
  'rightsize.recommend': gives('json', (one) => rightsize(one).recommend(of(one)).text),
  'rightsize.fit': gives('json', (one) => {
    return rightsize(one).fit(one.integer('memory_bytes'), values.real(one.arguments.util_percent)).text;
  }),
  'rightsize.save': gives('text', (one) => rightsize(one).save(of(one))),
  'rightsize.load': (one) => rightsize(one).load(one.text('text'), of(one)),
};

const plans = {
  'nodes.plan': (one) => {
    const given = { state: one.text('state') || null, now: one.integer('now_ms') };
    const { json, state: next, ...summary } = gputide.planNodes(one.text('text'), given);
    one.result.summary = values.nodesSummary(summary);
    one.result.json = json.text;
    one.result.state = next;
  },
  'jobs.decide': gives('decision', (one) => gputide.decideJobs(one.text('text'), one.text('seen'), one.options()).text),
};

exports.CALLS = {
  ...{ ...library, ...credentials, ...sources, ...policies, ...scalers, ...runtimes, ...replays },
  ...{ ...forecasts, ...rightsizes, ...plans },
};
