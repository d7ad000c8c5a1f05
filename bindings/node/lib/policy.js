// Decisions from numbers alone: no I/O, no clock.
'use strict';

const { decisionIn, decisionOf, recorded, decisionBuffer } = require('./decision.js');
const { SyncHandle, core, enter } = require('./handle.js');
const { json, optionalMs, unixMs, wrong } = require('./convert.js');
const { flags } = require('./abi.js');
const { native } = require('./native.js');
const { observationIn, optionsIn } = require('./values.js');

const make = Symbol('make');

class Policy extends SyncHandle {
  constructor(manifest, options) {
    super(native().policy_open(manifest, optionsIn(options)));
    const length = native().policy_metric_count(this[enter]());
    this.metrics = Object.freeze(Array.from({ length }, (_, index) => native().policy_metric_name(this[enter](), index)));
  }

  describe() {
    return json(native().policy_describe(this[enter]()));
  }

  newState(created) {
    return new State(make, this, native().state_new(this[enter](), optionalMs(created, 'created')));
  }

  loadState(text, { unchecked = false } = {}) {
    const bits = unchecked ? flags.stateFlag.STATE_UNCHECKED : 0;
    return new State(make, this, native().state_load(this[enter](), text, bits));
  }
}

class State extends SyncHandle {
  #policy;
  #values;
  #decided = decisionBuffer(); // reused by decisions from plain numbers
  #words = new Float64Array(this.#decided.buffer);
  #addon = native();

  constructor(key, policy, external) {
    if (key !== make) {
      throw wrong(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Policy.newState and Policy.loadState make a State');
    }
    super(external, [policy[core].retained()]);
    this.#policy = policy[core];
    this.#values = new Float64Array(policy.metrics.length);
  }

  decide(observation, options) {
    const report = options?.report === true;
    const external = this[enter]();
    if (!report && this.#plain(observation)) {
      const { now, current } = observation;
      const nowMs = typeof now === 'number' ? now : unixMs(now);
      const values = this.#values;
      this.#addon.decide_values(this.#policy.external, external, nowMs, current, values, values.length, this.#decided);
      return decisionIn(this.#words);
    }
    const memory = decisionBuffer();
    return decisionOf(memory, this.#addon.decide(this.#policy.external, external, observationIn(observation), memory, report));
  }

  /** Whether an observation is a size and numbers alone, which are in #values then: a quarter of the time. */
  #plain(observation) {
    const samples = observation?.samples;
    const values = this.#values;
    if (!Array.isArray(samples) || samples.length !== values.length || typeof observation.current !== 'number') return false;
    for (const name in observation) {
      if (name !== 'current' && name !== 'samples' && name !== 'now') return false;
    }
    for (let index = 0; index < values.length; index += 1) {
      const value = samples[index];
      if (typeof value !== 'number') return false;
      values[index] = value;
    }
    return true;
  }

  record(decision, applied, now, message) {
    const external = this[enter]();
    recorded(decision, applied, message, (memory) => {
      native().state_record(this.#policy.external, external, memory, applied ? 1 : 0, unixMs(now));
    });
  }

  save() {
    return native().state_save(this.#policy.external, this[enter]());
  }

  describe() {
    return json(native().state_describe(this.#policy.external, this[enter]()));
  }
}

module.exports = { Policy, State };
