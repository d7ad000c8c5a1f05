// Sources, and the credentials that they are read with.
'use strict';

const { structs } = require('./abi.js');
const { date, durationMs, json, unixMs } = require('./convert.js');
const { GputideError, hidden } = require('./errors.js');
const { ExclusiveHandle, enter, waiting, SharedHandle } = require('./handle.js');
const { native } = require('./native.js');
const { optionsIn, sampleOut, settingsIn } = require('./values.js');

// One metric: where it is, how it is asked for, how its answer becomes one number.

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

// Tokens for Azure, AWS, Google and what a file or a program gives.

const OPERATION_MS = 600_000; // of Azure

/** A bearer token.  `value` is a secret: console.log and JSON.stringify leave it out. */
class Token {
  constructor(value, info) {
    const time = (member) => date(info.getBigInt64(structs.token_info[member], true));
    hidden(this, 'value', value);
    this.expires = time('expires_at_ms');
    this.refresh = time('refresh_at_ms');
    this.usableUntil = time('usable_until_ms');
    Object.freeze(this);
  }

  toString() {
    return '***';
  }
}

class Credential extends SharedHandle {
  constructor(text, options) {
    super(native().credential_open(text, optionsIn(options)));
  }

  async token(scope, { timeout = DEFAULT_MS, signal } = {}) {
    const timeoutMs = durationMs(timeout);
    const info = new DataView(new ArrayBuffer(structs.token_info.size));
    const value = await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, credential) =>
      addon.waiting.credential_token(credential, scope, leftMs, cancel, true, info),
    );
    return new Token(value, info);
  }

  async writeAgentPool(change, { timeout = OPERATION_MS, signal } = {}) {
    const text = settingsIn(change);
    const timeoutMs = durationMs(timeout);
    return json(
      await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, credential) =>
        addon.waiting.agent_pool_write(credential, text, leftMs, cancel),
      ),
    );
  }

  invalidate(scope, token) {
    native().credential_invalidate(this[enter](), scope, token instanceof Token ? token.value : token);
  }
}

function tokenClaims(token) {
  return json(native().token_claims(token instanceof Token ? token.value : token));
}

module.exports = { Source, quantity, Credential, Token, tokenClaims };
