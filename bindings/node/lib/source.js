// One metric: where it is, how it is asked for, how its answer becomes one number.
'use strict';

const { structs } = require('./abi.js');
const { GputideError, hidden } = require('./errors.js');
const { ExclusiveHandle, enter, waiting } = require('./handle.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { durationMs, unixMs } = require('./time.js');
const { optionsIn, sampleOut } = require('./values.js');

const DEFAULT_MS = 10_000;

const sampleBuffer = () => new DataView(new ArrayBuffer(structs.sample.size));

/** A failed read tells its reason twice: as the error, and as the sample that a decision takes. */
function withSample(error, memory) {
  if (error instanceof GputideError) {
    hidden(error, 'sample', memory.getInt32(structs.sample.state, true) === 0 ? undefined : sampleOut(memory));
  }
  return error;
}

function headerLines(headers) {
  if (headers === undefined || headers === null) return '';
  if (typeof headers === 'string' || headers instanceof Uint8Array) return headers;
  const entries = typeof headers[Symbol.iterator] === 'function' ? headers : Object.entries(headers);
  return Array.from(entries, ([name, value]) => `${name}: ${value}\r\n`).join('');
}

class Source extends ExclusiveHandle {
  constructor(text, options) {
    super(native().source_open(text, optionsIn(options)));
  }

  async fetch({ now, timeout = DEFAULT_MS, signal } = {}) {
    const nowMs = unixMs(now);
    const timeoutMs = durationMs(timeout);
    const memory = sampleBuffer();
    try {
      await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, source) =>
        addon.waiting.source_fetch(source, nowMs, leftMs, cancel, memory),
      );
    } catch (error) {
      throw withSample(error, memory);
    }
    return sampleOut(memory);
  }

  async fetchAll({ now, timeout = DEFAULT_MS, signal } = {}) {
    const nowMs = unixMs(now);
    const timeoutMs = durationMs(timeout);
    const response = await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, source) =>
      addon.waiting.source_fetch_all(source, nowMs, leftMs, cancel),
    );
    return json(response);
  }

  request(now) {
    return json(native().source_request(this[enter](), unixMs(now)));
  }

  parse(httpStatus, body) {
    const memory = sampleBuffer();
    try {
      native().source_parse(this[enter](), httpStatus, body, memory);
    } catch (error) {
      throw withSample(error, memory);
    }
    return sampleOut(memory);
  }

  parseAll(httpStatus, body, headers) {
    return json(native().source_parse_all(this[enter](), httpStatus, headerLines(headers), body));
  }

  describe() {
    return json(native().source_describe(this[enter]()));
  }
}

function quantity(text) {
  return native().quantity(text);
}

module.exports = { Source, quantity };
