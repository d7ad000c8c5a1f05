// The inputs of calls that are not handles, as objects with C's member names: what a host allows, what is true now.
'use strict';

const { NO_VALUE, SampleState } = { NO_VALUE: -(2n ** 63n), ...require('./numbers.js') };
const { flags, structs } = require('./abi.js');
const { date, durationMs, optionalMs, unixMs, wrong } = require('./convert.js');
const { nameOf, numberOf, word } = require('./words.js');

const camel = (name) => name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Options by their names here: which member or bit each is. */
function table(struct, bits, prefix = '') {
  const known = new Map();
  for (const [name, bit] of Object.entries(bits)) known.set(camel(name.replace(prefix, '')), { bit });
  for (const member of Object.keys(struct)) {
    if (/^(size|struct_size|flags|reserved|file_count|file_size|ca_pem_bytes)$/.test(member)) continue;
    known.set(camel(member.replace(/_ms$/, '')), { member });
  }
  return known;
}
const OPTIONS = table(structs.options, flags.option);
const RUNTIME_OPTIONS = table(structs.runtime_options, flags.runtimeFlag, 'RUNTIME_');

function filled(given, known, what, convert) {
  if (typeof given !== 'object') throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', `${what}: expected an object`);
  const out = { flags: 0 };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const place = known.get(name);
    if (place === undefined) {
      throw wrong(TypeError, 'ERR_INVALID_ARG_VALUE', `${what}: no option is called ${name}: ${[...known.keys()].join(', ')}`);
    }
    if (place.member !== undefined) {
      out[place.member] = convert(place.member, value, name);
    } else if (typeof value !== 'boolean') {
      throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', `${name}: expected a boolean`);
    } else if (value) {
      out.flags |= place.bit;
    }
  }
  return out;
}

function optionMember(member, value, name) {
  if (member.startsWith('allowed_')) return joined(value, name);
  if (member === 'files') return value;
  return value;
}

/** C has the list as one text with commas; none of it is as if it was not given. */
function joined(names, option) {
  if (!Array.isArray(names)) throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', `${option}: expected an array of strings`);
  for (const name of names) {
    if (typeof name !== 'string') throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', `${option}: expected an array of strings`);
    if (name.includes(',')) throw wrong(TypeError, 'ERR_INVALID_ARG_VALUE', `${option}: a comma in ${name}`);
  }
  return names.length > 0 ? names.join(',') : undefined;
}

/** Settings as text; null: NULL, which gives each default. */
function settingsIn(given) {
  if (given === undefined || given === null) return null;
  return typeof given === 'string' || given instanceof Uint8Array ? given : JSON.stringify(given);
}

/** null: NULL. */
function optionsIn(given) {
  return given === undefined || given === null ? null : filled(given, OPTIONS, 'options', optionMember);
}

function runtimeOptionsIn(given) {
  if (given === undefined || given === null) return null;
  const isDuration = (member) => member.endsWith('_ms');
  return filled(given, RUNTIME_OPTIONS, 'options', (member, value, name) =>
    isDuration(member) ? durationMs(value, name) : value,
  );
}

/** A number that is true now, a sample, or null where nothing is said of that metric. */
function sampleIn(given) {
  if (typeof given === 'number') {
    return Number.isFinite(given) ? { state: SampleState.OK, value: given } : { state: SampleState.NOT_A_NUMBER };
  }
  if (given === null || given === undefined) return { state: SampleState.NOT_GIVEN };
  if (typeof given !== 'object') throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'samples: expected numbers, samples or null');
  const { value = null, time, state, status, message, nullAsZero } = given;
  const known = value === null ? SampleState.NOT_GIVEN : Number.isFinite(value) ? SampleState.OK : SampleState.NOT_A_NUMBER;
  return {
    state: state === undefined || state === null ? known : numberOf('SampleState', state, 'state'),
    status:
      status === undefined ? 0 : numberOf('Status', typeof status === 'string' ? status.replace(/^E_/, '') : status, 'status'),
    flags: nullAsZero ? flags.sampleFlag.SAMPLE_NULL_AS_ZERO : 0,
    value: value ?? 0,
    time_ms: optionalMs(time, 'time'),
    message,
  };
}

function samplesIn(given) {
  if (!given || typeof given[Symbol.iterator] !== 'function' || typeof given === 'string') {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'samples: expected an array');
  }
  return Array.from(given, sampleIn);
}

function podIn({ name, phase = 'running', ready = true, deleting = false, startTime, readyChangeTime }) {
  const readiness = ready === true ? 'yes' : ready === false ? 'no' : ready === null ? 'no_condition' : ready;
  return {
    name,
    phase: numberOf('PodPhase', phase, 'phase'),
    ready: numberOf('Readiness', readiness, 'ready'),
    deleting: deleting ? 1 : 0,
    start_time_ms: optionalMs(startTime, 'startTime'),
    ready_change_time_ms: optionalMs(readyChangeTime, 'readyChangeTime'),
  };
}

function podSampleIn({ metric, pod = 0, valueMilli, requestMilli = 0, time, windowS = 0, container }) {
  return {
    metric,
    pod,
    value_milli: valueMilli ?? NO_VALUE,
    request_milli: requestMilli,
    time_ms: optionalMs(time, 'time'),
    window_s: windowS,
    container,
  };
}

const OBSERVATION = new Set('current samples now statusReplicas readyReplicas unreadable message pods podSamples'.split(' '));

function observationIn(observation) {
  if (typeof observation !== 'object' || observation === null) {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'expected an observation: { current, samples, now }');
  }
  for (const name of Object.keys(observation)) {
    if (!OBSERVATION.has(name)) {
      throw wrong(TypeError, 'ERR_INVALID_ARG_VALUE', `an observation has no ${name}: ${[...OBSERVATION].join(', ')}`);
    }
  }
  const { current, samples, now, statusReplicas, readyReplicas, unreadable = false, message, pods, podSamples } = observation;
  if (typeof current !== 'number' && !unreadable) {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'current: expected the number of replicas');
  }
  const { OBSERVED_STATUS, OBSERVED_READY, SCALE_UNREADABLE, OBSERVED_PODS } = flags.observationFlag;
  return {
    flags:
      (statusReplicas === 0 ? OBSERVED_STATUS : 0) |
      (readyReplicas === 0 ? OBSERVED_READY : 0) |
      (unreadable ? SCALE_UNREADABLE : 0) |
      (pods ? OBSERVED_PODS : 0),
    now_ms: unixMs(now),
    current_replicas: current ?? 0,
    status_replicas: statusReplicas,
    ready_replicas: readyReplicas,
    samples: samples ? samplesIn(samples) : undefined,
    pods: pods?.map(podIn),
    pod_samples: podSamples?.map(podSampleIn),
    message,
  };
}

/** A sample that C wrote into `memory` at `offset`. */
function sampleOut(memory, offset = 0) {
  const at = structs.sample;
  const state = memory.getInt32(offset + at.state, true);
  const status = memory.getInt32(offset + at.status, true);
  const timeMs = memory.getBigInt64(offset + at.time_ms, true);
  return {
    state: nameOf('SampleState', state),
    value: state === SampleState.OK ? memory.getFloat64(offset + at.value, true) : null,
    time: date(timeMs) ?? (timeMs === 0n ? null : timeMs),
    status: word('status_name', status),
    nullAsZero: (memory.getUint32(offset + at.flags, true) & flags.sampleFlag.SAMPLE_NULL_AS_ZERO) !== 0,
  };
}

module.exports = { settingsIn, optionsIn, runtimeOptionsIn, observationIn, samplesIn, sampleOut, OPTIONS, RUNTIME_OPTIONS };
