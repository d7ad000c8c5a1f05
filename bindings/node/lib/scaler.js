// A manifest as a working pipeline, and what can be said of a manifest without one.
'use strict';

const { structs } = require('./abi.js');
const { decisionOf, recorded, room } = require('./decision.js');
const { InvalidError, LimitError, given } = require('./errors.js');
const { ExclusiveHandle, enter, waiting } = require('./handle.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { metricNames } = require('./policy.js');
const { durationMs, unixMs } = require('./time.js');
const { observationIn, optionsIn, sampleOut } = require('./values.js');

const DEFAULT_MS = 10_000;
const DOCTOR_MS = 60_000;

class Scaler extends ExclusiveHandle {
  constructor(manifest, options) {
    super(native().scaler_open(manifest, optionsIn(options)));
    this.metrics = metricNames(this[enter](), 'scaler_metric_count', 'scaler_metric_name');
  }

  async tick(seen, { timeout = DEFAULT_MS, signal, report = false } = {}) {
    const observation = observationIn(seen);
    const timeoutMs = durationMs(timeout);
    const memory = room();
    const text = await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, scaler) =>
      addon.waiting.scaler_tick(scaler, observation, leftMs, cancel, memory, report),
    );
    return decisionOf(memory, text);
  }

  async fetch({ now, timeout = DEFAULT_MS, signal } = {}) {
    const nowMs = unixMs(now);
    const timeoutMs = durationMs(timeout);
    const { size } = structs.sample;
    const capacity = this.metrics.length;
    const memory = new DataView(new ArrayBuffer(Math.max(capacity, 1) * size));
    const count = await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, scaler) =>
      addon.waiting.scaler_fetch(scaler, nowMs, leftMs, cancel, memory, size, capacity),
    );
    return Array.from({ length: count }, (_, index) => sampleOut(memory, index * size));
  }

  decide(seen, { report = false } = {}) {
    const memory = room();
    return decisionOf(memory, native().scaler_decide(this[enter](), observationIn(seen), memory, report));
  }

  record(decision, applied, now, message) {
    const scaler = this[enter]();
    recorded(decision, applied, message, (memory) => {
      native().scaler_record(scaler, memory, applied ? 1 : 0, unixMs(now));
    });
  }

  conditions() {
    return json(native().scaler_conditions(this[enter]()));
  }

  lastMetrics() {
    return json(native().scaler_metrics(this[enter]()));
  }

  describe() {
    return json(native().scaler_describe(this[enter]()));
  }

  save() {
    return native().scaler_save(this[enter]());
  }

  load(text) {
    native().scaler_load(this[enter](), text);
  }
}

function checkManifest(manifest, options) {
  const findings = (outputs, error) => ({ ok: error === null, report: json(outputs[0]), lines: outputs[1] ?? '', error });
  try {
    return findings(native().manifest_check(manifest, optionsIn(options)), null);
  } catch (error) {
    if (!(error instanceof InvalidError || error instanceof LimitError)) throw error;
    return findings(given.get(error), error);
  }
}

async function doctor(manifest, { options, seen, timeout = DOCTOR_MS, signal } = {}) {
  const observation = seen === undefined || seen === null ? null : observationIn(seen);
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return diagnosis({ signal, timeoutMs }, (addon, cancel, leftMs) =>
    addon.waiting.doctor(manifest, chosen, observation, leftMs, cancel),
  );
}

async function diagnosis(limits, examine) {
  const [report, lines] = await waiting([], limits, examine);
  return { report: json(report), lines };
}

module.exports = { Scaler, checkManifest, doctor, diagnosis };
