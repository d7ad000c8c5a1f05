// Tokens for Azure, AWS, Google and what a file or a program gives.
'use strict';

const { structs } = require('./abi.js');
const { hidden } = require('./errors.js');
const { SharedHandle, enter, waiting } = require('./handle.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { date, durationMs } = require('./time.js');
const { optionsIn, settingsIn } = require('./values.js');

const DEFAULT_MS = 10_000;
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

module.exports = { Credential, Token, tokenClaims };
