// Protocol 1 of docs/conformance.md over the public functions of bindings/node: the program that gputide_conformance --through
// drives.  One line in, one line out, until the input ends.
//     node tests/bindings/node/conformance.js CALLS     CALLS: the table and the lists that tests/bindings/conformance writes
'use strict';

const path = require('node:path');
const readline = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');
const v8 = require('node:v8');
const vm = require('node:vm');
const gputide = require('../../../bindings/node/lib/index.js');
const numbers = require('../../../bindings/node/lib/words.js');

const written = require(path.resolve(process.argv[2]));
const REALS = { NaN, '+Inf': Infinity, '-Inf': -Infinity };
const NEVER_MS = '9223372036854775807';
const NO_VALUE = -(2n ** 63n);

/** A call names what an earlier one failed to open. */
class Missing extends Error {}

// ---- what is read

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Beyond what a double holds a decimal string, and a bigint here. */
function integer(value) {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value === 'string' && /^-?\d+$/.test(value)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : BigInt(value);
  }
  throw new TypeError(`expected an integer, got ${JSON.stringify(value)}`);
}

function real(value) {
  if (typeof value === 'number') return value;
  if (value in REALS) return REALS[value];
  throw new TypeError(`expected a number, got ${JSON.stringify(value)}`);
}

function text(value) {
  if (typeof value === 'string') return value;
  if (typeof value?.b64 === 'string') return Buffer.from(value.b64, 'base64');
  throw new TypeError(`expected a text, got ${JSON.stringify(value)}`);
}

/** {flag: true, …} of a C number's bits. */
function bits(number, names) {
  const each = names.split(' ');
  if (number >> each.length) throw new TypeError(`flags: ${number} has bits without a name`);
  return Object.fromEntries(each.map((name, bit) => [camel(name), ((number >> bit) & 1) === 1]));
}

/** The members of a struct by this package's names: integers, but for those that are named with the function that reads them. */
function members({ flags: _, ...given }, readers = {}) {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [camel(name.replace(/_ms$/, '')), (readers[name] ?? integer)(value)]),
  );
}

function options({ flags = 0, files, ...given }) {
  const out = bits(flags, written.OPTION_FLAGS);
  for (const [name, value] of Object.entries(given)) {
    out[camel(name)] = name.startsWith('allowed_') ? text(value).split(',') : text(value);
  }
  if (files !== undefined) out.files = files.map((file) => ({ name: file.name, text: text(file.text) }));
  return out;
}

const runtimeOptions = (given) => ({ ...bits(given.flags ?? 0, written.RUNTIME_FLAGS), ...members(given) });

function sampleIn(given) {
  const state = 'value' in given ? gputide.SampleState.OK : gputide.SampleState.NOT_GIVEN;
  return { value: null, state, status: 0, ...members(given, { value: real, message: text }), nullAsZero: Boolean(given.flags) };
}

function usageIn(given) {
  const flags = integer(given.flags ?? 0);
  const { busy = 0, memoryBytes = 0, ...rest } = members(given, { busy: real });
  return { ...rest, busy: flags & 1 ? busy : null, memoryBytes: flags & 6 ? memoryBytes : null, oom: (flags & 4) !== 0 };
}

const podIn = (given) => members(given, { name: text, deleting: Boolean });

function podSampleIn(given) {
  const { valueMilli = 0, ...rest } = members(given, { container: text });
  return { ...rest, valueMilli: valueMilli === NO_VALUE ? null : valueMilli };
}

function observation(given) {
  const flags = integer(given.flags ?? 0);
  const counted = (name, bit) => {
    const count = integer(given[name] ?? 0);
    return count !== 0 || (flags & bit) !== 0 ? count : undefined;
  };
  return {
    current: integer(given.current_replicas ?? 0),
    samples: (given.samples ?? []).map(sampleIn),
    now: integer(given.now_ms ?? 0),
    statusReplicas: counted('status_replicas', 1),
    readyReplicas: counted('ready_replicas', 2),
    unreadable: (flags & 4) !== 0,
    message: given.message,
    pods: (flags & 8) !== 0 || given.pods?.length > 0 ? (given.pods ?? []).map(podIn) : undefined,
    podSamples: (given.pod_samples ?? []).map(podSampleIn),
  };
}

// ---- what is written

/** A bigint stays one where a double could not say it. */
function out(value) {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'number') return Number.isFinite(value) ? value : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  if (value instanceof gputide.Decision) return decisionOut(value);
  if (value?.needReplicas !== undefined) return floorOut(value);
  if (value?.nullAsZero !== undefined) return sampleOut(value);
  return value?.text ?? value ?? null;
}

const outs = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, out(value)]));

/** The number of a word; one of a newer library has none and is a number here, too. */
const numberOf = (named, name) => named[String(name).toUpperCase()] ?? Number(name);

function errorOut(problem) {
  return {
    status: problem.status,
    action: problem.numbers.action,
    retryable: problem.retryable ? 1 : 0,
    http_status: problem.httpStatus ?? 0,
    retry_at_ms: out(problem.numbers.retryAtMs),
    service_code: problem.serviceCode,
    where: problem.where,
    message: problem.reason,
    detail: problem.detailText,
  };
}

/** Returns a status for errors without one. */
function refused(status, message) {
  const empty = { service_code: '', where: '', detail: '' };
  return { status, action: 0, retryable: 0, http_status: 0, retry_at_ms: 0, ...empty, message };
}

function sampleOut(given) {
  return outs({
    state: numberOf(gputide.SampleState, given.state),
    status: numberOf(gputide.Status, String(given.status).replace(/^E_/, '')),
    flags: given.nullAsZero ? 1 : 0,
    value: given.value ?? 0,
    time_ms: given.time ?? 0,
  });
}

function decisionOut(given) {
  const known = given.numbers;
  return {
    flags: known.flags,
    id: given.id,
    now_ms: known.nowMs,
    next_due_ms: known.nextDueMs,
    current_replicas: given.current,
    desired_replicas: given.desired,
    proposed_replicas: given.proposed,
    limited_by: known.limitedBy,
    source: known.source,
    winner: given.winner,
    failed_metric: given.failedMetric,
    event: known.event,
    forecast_state: given.forecastState === null ? 0 : numberOf(gputide.ForecastState, given.forecastState),
    forecast_need: given.forecastNeed ?? -1,
    conditions: known.conditions.map(({ truth, reason, sinceMs }) => ({ truth, reason, since_ms: sinceMs })),
  };
}

function floorOut(given) {
  const state = numberOf(gputide.ForecastState, given.state);
  const reason = numberOf(gputide.FloorReason, given.reason);
  return outs({ state, reason, replicas: given.replicas, need_replicas: given.needReplicas ?? -1, floor_load: given.floorLoad ?? NaN });
}

/** nodesToAdd: nodes_to_add, and so on. */
function nodesOut({ json, state, ...counts }) {
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const summary = Object.fromEntries(Object.entries(counts).map(([name, count]) => [snake(name), count]));
  return { json: json.text, state, summary };
}

function eventOut(given) {
  const { id, tag, sequence, observed, replaced, name } = given;
  const event = { kind: numberOf(gputide.EventKind, given.kind), ...outs({ id, tag, sequence, replaced, name }) };
  const report = given.report === null ? {} : { report: given.report.text };
  return { event: { ...event, observed_ms: out(observed ?? 0) }, decision: out(given.decision), ...report };
}

/** Calls with several members in a result, by the first one. */
const SEVERAL = {
  token: ({ value, expires, refresh, usableUntil }) => ({
    token: value,
    info: outs({ expires_at_ms: expires ?? 0, refresh_at_ms: refresh ?? 0, usable_until_ms: usableUntil ?? 0 }),
  }),
  report: ({ report, lines }) => (report === null ? {} : { report: report.text, lines }),
  summary: nodesOut,
  event: eventOut,
};

// ---- a call, a line

/** A call's arguments by their names, and its result.  What is absent is "", 0, undefined. */
class Call {
  constructor(given, things) {
    this.arguments = given;
    this.things = things;
    this.result = {};
    this.reports = given.report === true;
  }

  has = (name) => name in this.arguments;
  list = (name) => this.arguments[name] ?? [];
  integer = (name) => integer(this.arguments[name] ?? 0);
  real = (name) => real(this.arguments[name] ?? 0);
  truth = (name) => this.integer(name) !== 0;
  text = (name) => text(this.arguments[name] ?? '');
  options = (name) => (this.has(name) ? options(this.arguments[name]) : undefined);
  runtimeOptions = (name) => runtimeOptions(this.arguments[name] ?? {});
  observation = (name) => observation(this.arguments[name] ?? {});
  samples = (name) => this.list(name).map(sampleIn);
  usageSample = (name) => this.list(name).map(usageIn);
  reals = (name) => this.list(name).map(real);
  times = (name) => this.list(name).map(integer);
  integers = this.times;

  handle(role) {
    const name = this.arguments[role];
    if (name === undefined) throw new TypeError(`${role}: a handle is not named`);
    if (!this.things.has(name)) throw new Missing(name);
    return this.things.get(name);
  }

  keep(thing) {
    const name = this.arguments.as;
    if (this.things.has(name) && typeof thing.close === 'function') throw new TypeError(`as: the name ${name} is taken`);
    this.things.set(name, thing);
  }

  async run(make, member) {
    const value = await make(this);
    if (member === 'as') return this.keep(value);
    if (member === 'recorded') {
      this.result.decision = out(this.handle('decision'));
    } else if (member === 'event' && value === null) {
      this.result.error = refused(gputide.Status.NO_DATA, 'no event came in time');
    } else if (member in SEVERAL) {
      Object.assign(this.result, SEVERAL[member](value));
      if (value.error instanceof Error) throw value.error;
    } else if (member !== '') {
      this.result[member] = member === 'next_ms' && value === null ? NEVER_MS : out(value);
      if (this.reports) this.result.report = value.report.text;
    }
    const named = value?.decision ?? value;
    if (this.has('as')) this.keep(named);
  }
}

/** The library's own word, also for a number that it has no name for. */
function word(nameFunction, number) {
  const found = numbers.word(nameFunction, number);
  return typeof found === 'string' ? found : nameFunction === 'status_name' ? 'E_UNKNOWN' : 'unknown';
}

function featureBits() {
  const known = gputide.features();
  return written.FEATURES.split(' ').reduce((all, name, bit) => all | (known.has(name) ? 1 << bit : 0), 0);
}

const noMetric = (index) => (index === -1 ? null : index);

const CALLS = written.calls(gputide, { word, featureBits, noMetric });

async function resultOf(call) {
  const entry = CALLS[call.arguments.call];
  if (entry === undefined) throw new TypeError('an unknown call');
  try {
    await call.run(...entry);
  } catch (error) {
    if (error instanceof Missing) return { missing: error.message };
    if (error instanceof gputide.GputideError) {
      if (error.sample !== undefined) call.result.sample = out(error.sample); // a failed read gives its sample beside the error
      call.result.error = errorOut(error);
    } else if (error instanceof gputide.ClosedError) {
      call.result.error = refused(gputide.Status.STATE, error.message);
    } else if (/^ERR_(INVALID_ARG_VALUE|OUT_OF_RANGE)$/.test(error.code)) {
      call.result.error = refused(gputide.Status.INVALID, error.message); // what this package refuses before C sees it
    } else {
      throw error;
    }
  }
  return call.result;
}

async function close(things, order) {
  const handles = [...things.values()].filter((thing) => typeof thing.close === 'function');
  things.clear();
  if (order === 'collect') return;
  for (const handle of order === 'reverse' ? handles.reverse() : handles) await handle.close();
}

let collect;

/** Counts the handles; what was forgotten is freed some turns of the loop after it was collected. */
async function alive(order) {
  const until = Date.now() + 5_000;
  while (order === 'collect' && gputide.alive() > 0 && Date.now() < until) {
    if (collect === undefined) {
      v8.setFlagsFromString('--expose-gc');
      collect = vm.runInNewContext('gc');
    }
    collect();
    await sleep(1);
  }
  return gputide.alive();
}

async function answer(line) {
  const reply = { case: line.case, results: [] };
  const things = new Map();
  for (const given of line.calls) {
    try {
      reply.results.push(await resultOf(new Call(given, things)));
    } catch (error) {
      reply.fault = `${JSON.stringify(given).slice(0, 200)}: ${error.stack}`;
      break;
    }
  }
  const order = line.close ?? 'reverse';
  await close(things, order);
  return { ...reply, alive: await alive(order) };
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

async function main() {
  process.removeAllListeners('warning'); // "close":"collect" forgets handles on purpose
  const hello = { protocol: 1, binding: 'node', version: gputide.version, abi: gputide.ABI_VERSION };
  say({ ...hello, library: gputide.libraryPath(), calls: Object.keys(CALLS).sort() });
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    say(await answer(JSON.parse(line)));
  }
}

main();
