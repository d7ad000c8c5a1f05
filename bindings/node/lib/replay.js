// Shows what a manifest would have done, over recorded metrics: the code that decides live, with the clock as a parameter.
'use strict';

const { NO_METRIC, structs } = require('./abi.js');
const { decisionOf, decisionBuffer } = require('./decision.js');
const { ExclusiveHandle, enter, waiting } = require('./handle.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { durationMs, unixMs, wrong } = require('./time.js');
const { optionsIn, samplesIn, settingsIn } = require('./values.js');

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

module.exports = { Series, Replay };
