// Handles: open, closing, closed.  close() refuses new calls, ends those that wait, waits until no call is inside, frees.  What was
// forgotten is freed when it is collected, with a warning.
'use strict';

const { FOREVER } = require('./abi.js');
const { wrong } = require('./convert.js');
const { BusyError, CancelledError, ClosedError, GputideError, cancelled, timedOut } = require('./errors.js');
const { native } = require('./native.js');

const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
// The parts of a handle for the modules beside this one, and no others.
const enter = Symbol('enter');
const arrive = Symbol('arrive');
const core = Symbol('core');
const turns = Symbol('turns');

const MAX_THREADS = 1024;

/** A C handle and how many objects need it: a policy outlives its own close() while a state decides by it. */
class Native {
  #external;
  #users = 1;

  constructor(external) {
    this.#external = external;
  }

  get external() {
    return this.#external;
  }

  retained() {
    this.#users += 1;
    return this;
  }

  release() {
    this.#users -= 1;
    if (this.#users === 0) native().release(this.#external);
  }
}

const forgotten = new FinalizationRegistry(({ name, natives, lose }) => {
  process.emitWarning(`a ${name} was forgotten open: close it, or declare it with using`, 'ResourceWarning');
  lose(natives);
});

function releaseAll(natives) {
  for (const each of natives) each.release();
}

class Handle {
  #natives;
  #external;
  #closing = false;

  /**
   * @param external  what the addon gave
   * @param companions  Natives of other handles that this one needs, released with it
   * @param lose  what frees the Natives of one that was forgotten
   */
  constructor(external, companions = [], lose = releaseAll) {
    this.#external = external;
    this.#natives = [new Native(external), ...companions];
    forgotten.register(this, { name: this.constructor.name, natives: this.#natives, lose }, this);
  }

  get closed() {
    return this.#closing;
  }

  /** The arguments that the addon takes, for a call that is over when it returns. */
  [enter]() {
    if (this.#closing) throw new ClosedError(`this ${this.constructor.name} is closed`);
    return this.#external;
  }

  get [core]() {
    return this.#natives[0];
  }

  /** false if another caller has begun. */
  _beginClosing() {
    const first = !this.#closing;
    this.#closing = true;
    return first;
  }

  _endClosing() {
    forgotten.unregister(this);
    releaseAll(this.#natives);
    this.#natives = [];
  }
}

/** A handle with calls that never wait. */
class SyncHandle extends Handle {
  close() {
    if (this._beginClosing()) this._endClosing();
  }

  [dispose]() {
    this.close();
  }
}

/** One with calls that wait; they run side by side. */
class SharedHandle extends Handle {
  #waits = new Set();
  #ended;
  #closed;

  get _inside() {
    return this.#waits.size;
  }

  /** Before a call that waits.  Returns what must be called after it. */
  [arrive](fire) {
    const wait = { fire };
    this.#waits.add(wait);
    return () => {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.#ended?.();
    };
  }

  /** Ends calls that wait with this handle, waits until no call is inside, frees.  May be repeated. */
  async close() {
    this._beginClosing();
    this.#closed ??= this.#close();
    await this.#closed;
  }

  /** May be repeated: for a close that does something between. */
  _beginClosing() {
    super._beginClosing();
    for (const { fire } of this.#waits) fire();
  }

  async #close() {
    if (this.#waits.size > 0) {
      native().hold(true); // also where the process does not wait for the call: the caller that awaits the closing does
      await new Promise((resolve) => (this.#ended = resolve));
      native().hold(false);
    }
    this._endClosing();
  }

  async [asyncDispose]() {
    await this.close();
  }
}

/** So many calls at a time, in the order in which they were made. */
class Turns {
  #free;
  #queue = [];

  constructor(count) {
    this.#free = count;
  }

  /** Waits for a turn, which leave() ends.  Rejects as soon as `ended` does. */
  async enter(ended) {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const turn = new Promise((resolve) => this.#queue.push(resolve));
    try {
      await Promise.race([turn, ended]);
    } catch (error) {
      turn.then(() => this.leave());
      throw error;
    }
  }

  leave() {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

const threads = new Turns(MAX_THREADS);

/** A handle with calls that take turns, as their C functions take T*. */
class ExclusiveHandle extends SharedHandle {
  [turns] = new Turns(1);

  [enter]() {
    const external = super[enter]();
    if (this._inside > 0) {
      throw new BusyError(`this ${this.constructor.name} is in use by a call that has not ended: await that first`);
    }
    return external;
  }
}

/** Waits for everything that a call needs: the turns of its handles, a thread.  Returns what ends the turns. */
async function enterAll(handles, ended) {
  const entered = [];
  const leave = () => {
    for (const turn of entered) turn.leave();
  };
  try {
    for (const turn of [...handles.map((handle) => handle[turns] ?? []), threads].flat()) {
      await turn.enter(ended);
      entered.push(turn);
    }
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
}

/**
 * Runs call(addon, cancel, milliseconds left, external of each handle) on a thread of the addon.  The timeout begins here: it covers
 * the wait for a turn and for a thread.  So does the cancel, which the signal and the closing of a handle fire.
 * holds: the process waits for it.
 */
async function waiting(handles, { signal, timeoutMs = FOREVER, holds = true }, call) {
  if (signal !== undefined && signal !== null && typeof signal.throwIfAborted !== 'function') {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'signal: expected an AbortSignal');
  }
  signal?.throwIfAborted();
  const addon = native();
  for (const handle of handles) {
    if (handle.closed) throw new ClosedError(`this ${handle.constructor.name} is closed`);
  }
  const until = performance.now() + timeoutMs;
  const cancel = addon.cancel_new();
  let end;
  const ended = new Promise((_, reject) => (end = reject));
  ended.catch(() => {}); // a call that has its thread is ended by its cancel alone
  const fire = () => {
    addon.cancel_fire(cancel);
    end(cancelled());
  };
  const expire = () => end(timedOut('other calls used the same object, or every thread, until the deadline'));
  const distinct = Array.from(new Set(handles)); // one that is given twice would wait for itself
  const leaving = distinct.map((handle) => handle[arrive](fire));
  signal?.addEventListener('abort', fire, { once: true });
  if (holds) addon.hold(true);
  const timer = timeoutMs === FOREVER ? undefined : setTimeout(expire, timeoutMs);
  try {
    leaving.push(await enterAll(distinct, ended));
    clearTimeout(timer);
    const leftMs = timeoutMs > 0 ? Math.max(1, Math.ceil(until - performance.now())) : timeoutMs; // C refuses 0 where it waits
    return await call(addon, cancel, leftMs, ...handles.map((handle) => handle[core].external));
  } catch (error) {
    if (signal?.aborted && error instanceof CancelledError) throw signal.reason;
    if (error instanceof GputideError) Error.captureStackTrace(error); // here: with the callers that await this
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', fire);
    if (holds) addon.hold(false);
    addon.release(cancel);
    for (const leave of leaving.reverse()) leave();
  }
}

/** C handles that this environment holds: opened here and not freed. */
function alive() {
  return native().alive();
}

module.exports = { SyncHandle, SharedHandle, ExclusiveHandle, waiting, threads, alive, enter, core, asyncDispose };
