// Values of the library as JavaScript's: JSON texts, instants, durations.
'use strict';

// JSON texts of the library: as they came, and parsed when asked for.

class JsonText {
  #text;
  #data;

  constructor(text) {
    this.#text = text;
  }

  get text() {
    return this.#text;
  }

  get data() {
    this.#data ??= JSON.parse(this.#text);
    return this.#data;
  }

  toString() {
    return this.#text;
  }

  toJSON() {
    return this.data;
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    return `JsonText ${inspect(this.data, options)}`;
  }
}

/** null stays null. */
function json(text) {
  return text === null ? null : new JsonText(text);
}

// Instants and durations: Date and milliseconds outside, integer milliseconds inside.

const LONGEST_MS = 2 ** 31 - 1; // 24.8 days

function wrong(Kind, code, message) {
  return Object.assign(new Kind(message), { code });
}

/** A Date, or Unix milliseconds; undefined and null: the clock's. */
function unixMs(moment, name = 'now') {
  if (moment === undefined || moment === null) return Date.now();
  return givenMs(moment, name);
}

/** undefined and null: 0, which says that nothing is known of it. */
function optionalMs(moment, name) {
  return moment === undefined || moment === null ? 0 : givenMs(moment, name);
}

function givenMs(moment, name) {
  const ms = moment instanceof Date ? moment.getTime() : moment;
  if (typeof ms === 'bigint') return ms;
  if (typeof ms !== 'number') {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', `${name}: expected a Date or Unix milliseconds`);
  }
  if (!Number.isSafeInteger(ms)) {
    throw wrong(RangeError, 'ERR_OUT_OF_RANGE', `${name}: ${ms} is not a time in whole milliseconds`);
  }
  return ms;
}

/** null for 0 and for what lies beyond the years of a Date, the library's "never". */
function date(ms) {
  if (!ms) return null;
  const moment = new Date(Number(ms));
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** Milliseconds, rounded up, so that a short wait is not none; a longer one than C can say becomes that. */
function durationMs(duration, name = 'timeout') {
  if (typeof duration !== 'number') {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', `${name}: expected milliseconds`);
  }
  if (!(duration >= 0)) throw wrong(RangeError, 'ERR_OUT_OF_RANGE', `${name}: a duration of ${duration}`);
  return Math.min(Math.ceil(duration), LONGEST_MS);
}

module.exports = { JsonText, json, unixMs, optionalMs, date, durationMs, wrong };
