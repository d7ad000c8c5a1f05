// A manifest as a working pipeline, and what can be said of a manifest without one.
'use strict';

const { durationMs, json, unixMs } = require('./convert.js');
const { decisionOf, recorded, decisionBuffer } = require('./decision.js');
const { InvalidError, LimitError, given } = require('./errors.js');
const { ExclusiveHandle, enter, waiting } = require('./handle.js');
const { native } = require('./native.js');
const { observationIn, optionsIn } = require('./values.js');

const DEFAULT_MS = 10_000;
const DOCTOR_MS = 60_000;

class Scaler extends ExclusiveHandle {
  constructor(manifest, options) {
    super(native().scaler_open(manifest, optionsIn(options)));
  }

  async tick(observed, { timeout = DEFAULT_MS, signal, report = false } = {}) {
    const observation = observationIn(observed);
    const timeoutMs = durationMs(timeout);
    const memory = decisionBuffer();
    const text = await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, scaler) =>
      addon.waiting.scaler_tick(scaler, observation, leftMs, cancel, memory, report),
    );
    return decisionOf(memory, text);
  }

  record(decision, applied, now, message) {
    const scaler = this[enter]();
    recorded(decision, applied, message, (memory) => {
      native().scaler_record(scaler, memory, applied ? 1 : 0, unixMs(now));
    });
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

async function doctor(manifest, { options, observation, timeout = DOCTOR_MS, signal } = {}) {
  const raw = observation === undefined || observation === null ? null : observationIn(observation);
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return diagnosis({ signal, timeoutMs }, (addon, cancel, leftMs) => addon.waiting.doctor(manifest, chosen, raw, leftMs, cancel));
}

async function diagnosis(limits, examine) {
  const [report, lines] = await waiting([], limits, examine);
  return { report: json(report), lines };
}

module.exports = { Scaler, checkManifest, doctor, diagnosis };
