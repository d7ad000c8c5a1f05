// The decision and its reasons.
'use strict';

const { flags, structs } = require('./abi.js');
const { date, json, wrong } = require('./convert.js');
const { native } = require('./native.js');
const { nameOf, truth, word } = require('./words.js');

const AT = structs.decision;
const CONDITION = structs.condition;
const CONDITIONS = (AT.forecast_state - AT.conditions) / CONDITION.size;
const { DECIDED_ACTIVE, DECIDED_ERROR, DECIDED_EXECUTOR, DECIDED_HPA } = flags.decisionFlag;
const make = Symbol('make');
const memoryOf = Symbol('memory');

/** Memory for C to write a decision into. */
function decisionBuffer() {
  return new DataView(new ArrayBuffer(AT.size));
}

// Decisions are kept in blocks of several: memory of its own costs more than deciding does.
const BLOCK = 16;
let block;
let words;
let used = BLOCK;

/** The decision in memory that C fills again and again; all: its Float64Array, by which it is copied. */
function decisionIn(all) {
  if (used === BLOCK) {
    block = new DataView(new ArrayBuffer(BLOCK * AT.size));
    words = new Float64Array(block.buffer);
    used = 0;
  }
  const at = used * AT.size;
  used += 1;
  words.set(all, at / 8);
  return new Decision(make, block, null, at);
}

/** An int64_t that is a time or an id: whole in a double. */
function int64(memory, offset) {
  return memory.getInt32(offset + 4, true) * 2 ** 32 + memory.getUint32(offset, true);
}

class Decision {
  #memory;
  #at;
  #report;

  constructor(key, memory, report = null, at = 0) {
    if (key !== make) throw wrong(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'a Decision is what a call gives');
    this.#memory = memory;
    this.#at = at;
    this.#report = report;
  }

  get id() {
    return int64(this.#memory, this.#at + AT.id);
  }

  get now() {
    return date(int64(this.#memory, this.#at + AT.now_ms));
  }

  get nextDue() {
    return date(int64(this.#memory, this.#at + AT.next_due_ms));
  }

  get current() {
    return this.#memory.getInt32(this.#at + AT.current_replicas, true);
  }

  get desired() {
    return this.#memory.getInt32(this.#at + AT.desired_replicas, true);
  }

  get proposed() {
    return this.#memory.getInt32(this.#at + AT.proposed_replicas, true);
  }

  get wantsWrite() {
    return this.desired !== this.current;
  }

  get limitedBy() {
    return word('limit_name', this.#memory.getInt32(this.#at + AT.limited_by, true));
  }

  get source() {
    const source = this.#memory.getInt32(this.#at + AT.source, true);
    return source === 0 ? null : nameOf('DecisionSource', source);
  }

  get winner() {
    return this.#memory.getInt32(this.#at + AT.winner, true);
  }

  get failedMetric() {
    return this.#memory.getInt32(this.#at + AT.failed_metric, true);
  }

  get event() {
    return word('event_name', this.#memory.getInt32(this.#at + AT.event, true)) || null;
  }

  get forecastState() {
    const state = this.#memory.getInt32(this.#at + AT.forecast_state, true);
    return state === 0 ? null : word('forecast_state_name', state);
  }

  get forecastNeed() {
    const need = this.#memory.getInt32(this.#at + AT.forecast_need, true);
    return need < 0 ? null : need;
  }

  get active() {
    return (this.#memory.getUint32(this.#at + AT.flags, true) & DECIDED_ACTIVE) !== 0;
  }

  get failed() {
    return (this.#memory.getUint32(this.#at + AT.flags, true) & DECIDED_ERROR) !== 0;
  }

  get byExecutor() {
    return (this.#memory.getUint32(this.#at + AT.flags, true) & DECIDED_EXECUTOR) !== 0;
  }

  get byHpa() {
    return (this.#memory.getUint32(this.#at + AT.flags, true) & DECIDED_HPA) !== 0;
  }

  get conditions() {
    const out = {};
    this.numbers.conditions.forEach((condition, index) => {
      if (condition.truth === 0) return;
      const reason = word('reason_name', condition.reason);
      out[word('condition_name', index)] = { status: truth(condition.truth), reason, since: date(condition.sinceMs) };
    });
    return out;
  }

  get report() {
    return this.#report === null ? null : (this.#report = typeof this.#report === 'string' ? json(this.#report) : this.#report);
  }

  get numbers() {
    const memory = this.#memory;
    const start = this.#at;
    return {
      flags: memory.getUint32(start + AT.flags, true),
      nowMs: int64(memory, start + AT.now_ms),
      nextDueMs: int64(memory, start + AT.next_due_ms),
      limitedBy: memory.getInt32(start + AT.limited_by, true),
      source: memory.getInt32(start + AT.source, true),
      event: memory.getInt32(start + AT.event, true),
      conditions: Array.from({ length: CONDITIONS }, (_, index) => {
        const at = start + AT.conditions + index * CONDITION.size;
        return {
          truth: memory.getInt32(at + CONDITION.truth, true),
          reason: memory.getInt32(at + CONDITION.reason, true),
          sinceMs: int64(memory, at + CONDITION.since_ms),
        };
      }),
    };
  }

  explain() {
    return this.#report === null ? '' : renderReport(this.report);
  }

  toJSON() {
    const { id, now, nextDue, current, desired, proposed, wantsWrite, limitedBy, source, winner, failedMetric, event } = this;
    const { forecastState, forecastNeed, active, failed, byExecutor, byHpa, conditions } = this;
    const what = { id, now, nextDue, current, desired, proposed, wantsWrite, limitedBy, source, winner, failedMetric, event };
    return { ...what, forecastState, forecastNeed, active, failed, byExecutor, byHpa, conditions };
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    return depth < 0 ? '[Decision]' : `Decision ${inspect(this.toJSON(), options)}`;
  }

  /** For a record, which C writes into: a copy, so that one that fails leaves the decision as it was. */
  static [memoryOf](decision, message, write) {
    if (!(decision instanceof Decision)) throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'expected a Decision');
    const copy = decisionBuffer();
    for (let at = 0; at < AT.size; at += 8) copy.setBigInt64(at, decision.#memory.getBigInt64(decision.#at + at));
    copy.message = message;
    write(copy);
    decision.#memory = copy;
    decision.#at = 0;
  }
}

/** The decision that C wrote into the memory of decisionBuffer(). */
function decisionOf(memory, report) {
  return new Decision(make, memory, report);
}

/** record(memory) is a call of C that takes the decision back and writes into it; message: why the write failed. */
function recorded(decision, applied, message, record) {
  if (typeof applied !== 'boolean') {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'applied: expected true where the write worked, else false');
  }
  Decision[memoryOf](decision, message, record);
}

/** Formats a report as lines for people: conditions, then the trace. */
function renderReport(report) {
  return native().report_render(typeof report === 'string' ? report : report.text);
}

module.exports = { Decision, decisionIn, decisionOf, recorded, renderReport, decisionBuffer };
