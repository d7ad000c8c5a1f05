// The library's log lines, pulled: no callback of the library enters JavaScript.
'use strict';

const { FOREVER } = require('./abi.js');
const { durationMs } = require('./convert.js');
const { CancelledError, ClosedError, NoDataError, TimeoutError } = require('./errors.js');
const { ExclusiveHandle, asyncDispose, waiting } = require('./handle.js');
const { native } = require('./native.js');
const { nameOf, numberOf } = require('./words.js');

const DEFAULT_MS = 10_000;
// console has no more than these, and so have most loggers.
const METHODS = { error: 'error', warning: 'warn', info: 'info', debug: 'debug' };

class LogReader extends ExclusiveHandle {
  constructor(level = 'info') {
    super(native().log_open(numberOf('LogLevel', level, 'level')));
  }

  async next({ timeout = DEFAULT_MS, signal } = {}) {
    return this.#next(durationMs(timeout), signal, true);
  }

  async #next(timeoutMs, signal, holds) {
    try {
      const [text, level] = await waiting([this], { signal, timeoutMs, holds }, (addon, cancel, leftMs, reader) =>
        addon.waiting.log_next(reader, leftMs, cancel),
      );
      return { level: nameOf('LogLevel', level), text };
    } catch (error) {
      if (error instanceof NoDataError || error instanceof TimeoutError) return null;
      throw error;
    }
  }

  /** Lines until the reader is closed; the process does not wait for them. */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) yield await this.#next(FOREVER, undefined, false);
    } catch (error) {
      if (!(error instanceof CancelledError || error instanceof ClosedError)) throw error;
    }
  }
}

/** The library's lines go to this logger, console by default.  Nothing is logged before a reader asks. */
function logTo(logger = console, level = 'info') {
  const reader = new LogReader(level);
  const carried = (async () => {
    for await (const { level: severity, text } of reader) logger[METHODS[severity] ?? 'debug'](text);
  })();
  const close = async () => {
    await reader.close();
    await carried;
  };
  return { close, [asyncDispose]: close };
}

module.exports = { LogReader, logTo };
