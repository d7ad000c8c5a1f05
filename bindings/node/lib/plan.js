// The planners, from texts and numbers alone: replay, forecast, right-sizing, nodes and ScaledJobs.
'use strict';

const { NO_METRIC, structs, flags } = require('./abi.js');
const { durationMs, json, unixMs, wrong } = require('./convert.js');
const { decisionOf, decisionBuffer } = require('./decision.js');
const { ExclusiveHandle, enter, waiting, SyncHandle } = require('./handle.js');
const { native } = require('./native.js');
const { optionsIn, samplesIn, settingsIn } = require('./values.js');
const { word } = require('./words.js');

// Shows what a manifest would have done, over recorded metrics: the code that decides live, with the clock as a parameter.

const DEFAULT_MS = 60_000;

/** As many times as there are values beside them. */
function timesIn(times, beside) {
  if (times.length !== beside.length) {
    throw wrong(RangeError, 'ERR_OUT_OF_RANGE', `${times.length} times for ${beside.length} values`);
  }
  return times instanceof BigInt64Array ? times : BigInt64Array.from(times, (time) => BigInt(unixMs(time, 'times')));
}

function replicasIn(replicas) {
  if (replicas instanceof Int32Array) return replicas;
  for (const each of replicas) {
    if ((each | 0) !== each) throw wrong(RangeError, 'ERR_OUT_OF_RANGE', `replicas: ${each} is not a 32-bit integer`);
  }
  return Int32Array.from(replicas);
}

class Series extends ExclusiveHandle {
  constructor() {
    super(native().series_new());
  }

  add(metric, times, values) {
    const chosen = values instanceof Float64Array ? values : Float64Array.from(values);
    native().series_add(this[enter](), metric, timesIn(times, values), chosen, chosen.length);
  }

  addReplicas(times, replicas) {
    native().series_add_replicas(this[enter](), timesIn(times, replicas), replicasIn(replicas), replicas.length);
  }

  read(text, { metric = 0, scaler = null } = {}) {
    native().series_read(this[enter](), metric ?? NO_METRIC, text, scaler);
  }

  async fetch(scaler, { metric = 0, from, to, step, timeout = DEFAULT_MS, signal }) {
    const times = [unixMs(from, 'from'), unixMs(to, 'to'), durationMs(step, 'step')];
    const timeoutMs = durationMs(timeout);
    await waiting([this, scaler], { signal, timeoutMs }, (addon, cancel, leftMs, series, source) =>
      addon.waiting.series_fetch(series, source, metric, ...times, leftMs, cancel),
    );
  }

  write() {
    return native().series_write(this[enter]());
  }

  describe() {
    return json(native().series_describe(this[enter]()));
  }
}

class Replay extends ExclusiveHandle {
  constructor(manifest, { settings = null, ...options } = {}) {
    super(native().replay_open(manifest, optionsIn(options), settingsIn(settings)));
  }

  async run(series, { signal } = {}) {
    await waiting([this, series], { signal }, (addon, cancel, leftMs, replay, recorded) =>
      addon.waiting.replay_run(replay, recorded, cancel),
    );
  }

  record(time, samples, { replicas = -1 } = {}) {
    const list = samplesIn(samples);
    const memory = decisionBuffer();
    const timeMs = unixMs(time, 'time');
    native().replay_record(this[enter](), timeMs, list, structs.sample.size, list.length, replicas, memory);
    return decisionOf(memory);
  }

  report() {
    return json(native().replay_report(this[enter]()));
  }
}

// The load of the next start-up time, for a host that scales in a loop of its own: step, decide, ask, write the size, book.

const FLOOR = structs.floor;

function floorOut(memory) {
  const needReplicas = memory.getInt32(FLOOR.need_replicas, true);
  const floorLoad = memory.getFloat64(FLOOR.floor_load, true);
  return Object.freeze({
    state: word('forecast_state_name', memory.getInt32(FLOOR.state, true)),
    reason: word('floor_reason_name', memory.getInt32(FLOOR.reason, true)),
    replicas: memory.getInt32(FLOOR.replicas, true),
    needReplicas: needReplicas < 0 ? null : needReplicas,
    floorLoad: Number.isNaN(floorLoad) ? null : floorLoad,
  });
}

class Forecast extends SyncHandle {
  constructor(settings) {
    super(native().forecast_open(settingsIn(settings)));
  }

  add(now, load) {
    native().forecast_add(this[enter](), unixMs(now), load ?? NaN);
  }

  floor(target, { reactiveReplicas, currentReplicas, maxReplicas } = {}) {
    const memory = new DataView(new ArrayBuffer(FLOOR.size));
    native().forecast_floor(this[enter](), target, reactiveReplicas, currentReplicas, maxReplicas, memory);
    return floorOut(memory);
  }

  charge(writtenReplicas, shadowReplicas) {
    native().forecast_charge(this[enter](), writtenReplicas, shadowReplicas);
  }

  describe() {
    return json(native().forecast_describe(this[enter]()));
  }

  save() {
    return native().forecast_save(this[enter]());
  }

  load(text) {
    native().forecast_load(this[enter](), text);
  }
}

// Finds what a workload really needs: samples of its GPUs in, bounds and what to run it on out.

const { USAGE_BUSY, USAGE_MEMORY, USAGE_OOM } = flags.usageFlag;

/** A member that is null or left out is not told; of a container that ran out of memory its memory is what it had requested. */
function usageIn(given) {
  if (typeof given !== 'object' || given === null) {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'samples: expected objects: { time, busy, memoryBytes }');
  }
  const { time, busy = null, memoryBytes = null, oom = false, container = 0, unit = 0 } = given;
  const told = (busy === null ? 0 : USAGE_BUSY) | (memoryBytes === null || oom ? 0 : USAGE_MEMORY);
  return {
    time_ms: unixMs(time, 'time'),
    container,
    unit,
    flags: told | (oom ? USAGE_OOM : 0),
    busy,
    memory_bytes: memoryBytes,
  };
}

class Rightsize extends SyncHandle {
  constructor(settings, options) {
    super(native().rightsize_open(settingsIn(settings) ?? '', optionsIn(options)));
  }

  describe() {
    return json(native().rightsize_describe(this[enter]()));
  }

  container(name) {
    return native().rightsize_container(this[enter](), name);
  }

  add(samples) {
    const rightsize = this[enter]();
    const list = Array.from(samples, usageIn);
    return native().rightsize_add(rightsize, list, structs.usage_sample.size, list.length);
  }

  recommend({ container = 0, now } = {}) {
    return json(native().rightsize_recommend(this[enter](), container, unixMs(now)));
  }

  fit(memoryBytes, utilPercent) {
    return json(native().rightsize_fit(this[enter](), memoryBytes, utilPercent));
  }

  save({ container = 0, now } = {}) {
    return native().rightsize_save(this[enter](), container, unixMs(now));
  }

  load(text, { container = 0 } = {}) {
    native().rightsize_load(this[enter](), container, text);
  }
}

// The number of GPU nodes of each pool that waiting pods need, and which nodes may go: from texts alone, no network and no clock of its own.

const SUMMARY = structs.nodes_summary;

function planNodes(text, { state = null, now } = {}) {
  const memory = new DataView(new ArrayBuffer(SUMMARY.size));
  const [plan, next] = native().nodes_plan(text, state, unixMs(now), memory);
  const count = (member) => Number(memory.getBigInt64(SUMMARY[member], true));
  return {
    json: json(plan),
    state: next,
    errors: memory.getUint32(SUMMARY.errors, true),
    warnings: memory.getUint32(SUMMARY.warnings, true),
    nodesToAdd: count('nodes_to_add'),
    nodesToRemove: count('nodes_to_remove'),
    podsPending: count('pods_pending'),
    podsOnExisting: count('pods_on_existing'),
    podsOnNew: count('pods_on_new'),
    podsLeft: count('pods_left'),
  };
}

// One poll of a KEDA ScaledJob: how many Jobs to create, from texts alone.

function decideScaledJob(manifest, observation, options) {
  return json(native().scaled_job_decide(manifest, optionsIn(options), settingsIn(observation)));
}

module.exports = { Series, Replay, Forecast, Rightsize, planNodes, decideScaledJob };
