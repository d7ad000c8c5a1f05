// Protocol 1's JSON, to and from this package's values.
'use strict';

const gputide = require('../index.js');

const FLAGS = [
  'allowEnvironment',
  'allowPlainHttp',
  'allowCustomAuthority',
  'enableAzureProxy',
  'strict',
  'verifiedPeers',
  'allowUnverifiedPeers',
];
const RUNTIME_FLAGS = ['everyDecision', 'reports', 'noSharing', 'observeFirst'];
const REALS = { NaN, '+Inf': Infinity, '-Inf': -Infinity };
const NO_VALUE = -(2n ** 63n);

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

/** A bigint stays one where a double could not say it. */
function outInteger(value) {
  return typeof value === 'bigint' ? String(value) : value;
}

function outReal(value) {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? value : value > 0 ? '+Inf' : '-Inf';
}

const ms = (moment) => (moment instanceof Date ? moment.getTime() : (moment ?? 0));

/** {flag: true, …} of a C number's bits. */
function bits(number, names) {
  if (number >> names.length) throw new TypeError(`flags: ${number} has bits without a name`);
  return Object.fromEntries(names.map((name, bit) => [name, ((number >> bit) & 1) === 1]));
}

function options(given) {
  const { flags = 0, files, ...rest } = given;
  const out = bits(flags, FLAGS);
  for (const [name, value] of Object.entries(rest)) {
    out[camel(name)] = name.startsWith('allowed_') ? text(value).split(',') : text(value);
  }
  if (files !== undefined) out.files = files.map((one) => ({ name: one.name, text: text(one.text) }));
  return out;
}

function runtimeOptions(given) {
  const { flags = 0, ...rest } = given;
  const out = bits(flags, RUNTIME_FLAGS);
  for (const [name, value] of Object.entries(rest)) out[camel(name.replace(/_ms$/, ''))] = integer(value);
  return out;
}

function sampleIn(one) {
  return {
    value: 'value' in one ? real(one.value) : null,
    time: 'time_ms' in one ? integer(one.time_ms) : undefined,
    state: integer(one.state ?? ('value' in one ? gputide.SampleState.OK : gputide.SampleState.NOT_GIVEN)),
    status: integer(one.status ?? 0),
    message: one.message,
    nullAsZero: integer(one.flags ?? 0) !== 0,
  };
}

const samplesIn = (list) => list.map(sampleIn);

function observation(given) {
  const flags = integer(given.flags ?? 0);
  const counted = (name, bit) => {
    const count = integer(given[name] ?? 0);
    return count !== 0 || (flags & bit) !== 0 ? count : undefined;
  };
  return {
    current: integer(given.current_replicas ?? 0),
    samples: samplesIn(given.samples ?? []),
    now: integer(given.now_ms ?? 0),
    statusReplicas: counted('status_replicas', 1),
    readyReplicas: counted('ready_replicas', 2),
    unreadable: (flags & 4) !== 0,
    message: given.message,
    pods: (flags & 8) !== 0 || given.pods?.length > 0 ? (given.pods ?? []).map(pod) : undefined,
    podSamples: (given.pod_samples ?? []).map(podSample),
  };
}

function pod(one) {
  return {
    name: one.name,
    phase: integer(one.phase ?? 0),
    ready: integer(one.ready ?? 0),
    deleting: integer(one.deleting ?? 0) !== 0,
    startTime: integer(one.start_time_ms ?? 0),
    readyChangeTime: integer(one.ready_change_time_ms ?? 0),
  };
}

function podSample(one) {
  const value = integer(one.value_milli ?? 0);
  return {
    metric: integer(one.metric ?? 0),
    pod: integer(one.pod ?? 0),
    valueMilli: value === NO_VALUE ? null : value,
    container: one.container,
    requestMilli: integer(one.request_milli ?? 0),
    time: integer(one.time_ms ?? 0),
    windowS: integer(one.window_s ?? 0),
  };
}

function usageSamplesIn(list) {
  return list.map((one) => {
    const flags = integer(one.flags ?? 0);
    return {
      time: integer(one.time_ms ?? 0),
      busy: flags & 1 ? real(one.busy ?? 0) : null,
      memoryBytes: flags & 6 ? integer(one.memory_bytes ?? 0) : null,
      oom: (flags & 4) !== 0,
      container: integer(one.container ?? 0),
      unit: integer(one.unit ?? 0),
    };
  });
}

function error(problem) {
  return {
    status: problem.status,
    action: problem.numbers.action,
    retryable: problem.retryable ? 1 : 0,
    http_status: problem.httpStatus ?? 0,
    retry_at_ms: outInteger(problem.numbers.retryAtMs),
    service_code: problem.serviceCode,
    where: problem.where,
    message: problem.reason,
    detail: problem.detailText,
  };
}

/** What has no status of the library, as one. */
function refused(status, problem) {
  const words = { service_code: '', where: '', message: problem.message, detail: '' };
  return { status, action: 0, retryable: 0, http_status: 0, retry_at_ms: 0, ...words };
}

function sample(given) {
  return {
    state: numberOf(gputide.SampleState, given.state),
    status: numberOf(gputide.Status, String(given.status).replace(/^E_/, '')),
    flags: given.nullAsZero ? 1 : 0,
    value: outReal(given.value ?? 0),
    time_ms: outInteger(ms(given.time)),
  };
}

/** The number of a word; one of a newer library has none and is a number here, too. */
function numberOf(numbers, word) {
  return numbers[String(word).toUpperCase()] ?? Number(word);
}

function decision(given) {
  const { numbers } = given;
  return {
    flags: numbers.flags,
    id: given.id,
    now_ms: numbers.nowMs,
    next_due_ms: numbers.nextDueMs,
    current_replicas: given.current,
    desired_replicas: given.desired,
    proposed_replicas: given.proposed,
    limited_by: numbers.limitedBy,
    source: numbers.source,
    winner: given.winner,
    failed_metric: given.failedMetric,
    event: numbers.event,
    forecast_state: given.forecastState === null ? 0 : numberOf(gputide.ForecastState, given.forecastState),
    forecast_need: given.forecastNeed ?? -1,
    conditions: numbers.conditions.map((one) => ({ truth: one.truth, reason: one.reason, since_ms: one.sinceMs })),
  };
}

function floor(given) {
  return {
    state: numberOf(gputide.ForecastState, given.state),
    reason: numberOf(gputide.FloorReason, given.reason),
    replicas: given.replicas,
    need_replicas: given.needReplicas ?? -1,
    floor_load: outReal(given.floorLoad ?? NaN),
  };
}

/** nodesToAdd: nodes_to_add, and so on. */
function nodesSummary(given) {
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(given).map(([name, count]) => [snake(name), count]));
}

function event(given) {
  return {
    kind: numberOf(gputide.EventKind, given.kind),
    id: outInteger(given.id),
    tag: outInteger(given.tag),
    sequence: outInteger(given.sequence),
    observed_ms: ms(given.observed),
    replaced: given.replaced,
    name: given.name,
  };
}

module.exports = {
  ...{ integer, real, text, outInteger, ms },
  ...{ options, runtimeOptions, samplesIn, observation, usageSamplesIn },
  ...{ error, refused, sample, decision, floor, nodesSummary, event },
};
