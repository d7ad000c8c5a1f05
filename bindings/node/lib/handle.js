// Handles: open, closing, closed.  close() refuses new calls, ends those that wait, waits until nobody is inside, frees.  What was
// forgotten is freed when it is collected, with a warning.
'use strict';

const { BusyError, CancelledError, ClosedError, GputideError } = require('./errors.js');
const { native } = require('./native.js');
const { wrong } = require('./time.js');

const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
// What the modules beside this one need of a handle, and nobody else.
const enter = Symbol('enter');
const arrive = Symbol('arrive');
const core = Symbol('core');

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
  for (const one of natives) one.release();
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

  /** What the addon takes, for a call that is over when it returns. */
  [enter]() {
    if (this.#closing) throw new ClosedError(`this ${this.constructor.name} is closed`);
    return this.#external;
  }

  get [core]() {
    return this.#natives[0];
  }

  /** false where somebody else has begun. */
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

/** One whose calls never wait. */
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

  /** Before a call that waits.  before: what it has to wait for first; leave: behind it. */
  [arrive](fire) {
    const wait = { fire };
    this.#waits.add(wait);
    return {
      before: undefined,
      leave: () => {
        this.#waits.delete(wait);
        if (this.#waits.size === 0) this.#ended?.();
      },
    };
  }

  /** Ends calls that wait with this handle, waits until nobody is inside, frees.  May be repeated. */
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
      native().hold(true); // also where the process does not wait for the call: whoever awaits the closing does
      await new Promise((resolve) => (this.#ended = resolve));
      native().hold(false);
    }
    this._endClosing();
  }

  async [asyncDispose]() {
    await this.close();
  }
}

/** One whose calls take turns in the order in which they were made, as their C functions take T*. */
class ExclusiveHandle extends SharedHandle {
  #last;

  [enter]() {
    const external = super[enter]();
    if (this._inside > 0) {
      throw new BusyError(`this ${this.constructor.name} is in use by a call that has not ended: await that first`);
    }
    return external;
  }

  [arrive](fire) {
    const place = super[arrive](fire);
    const before = this.#last;
    let done;
    this.#last = new Promise((resolve) => (done = resolve));
    return {
      before,
      leave: () => {
        place.leave();
        done();
      },
    };
  }
}

/** What call(addon, cancel, ...of the handles) gives, which runs on a thread of the addon's: with its own cancel, which the signal and the closing of
 * a handle fire.  holds: the process waits for it. */
async function waiting(handles, signal, call, holds = true) {
  if (signal !== undefined && signal !== null && typeof signal.throwIfAborted !== 'function') {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'signal: expected an AbortSignal');
  }
  signal?.throwIfAborted();
  const addon = native();
  for (const one of handles) {
    if (one.closed) throw new ClosedError(`this ${one.constructor.name} is closed`);
  }
  const cancel = addon.cancel_new();
  const fire = () => addon.cancel_fire(cancel);
  const places = Array.from(new Set(handles), (one) => one[arrive](fire)); // one that is given twice would wait for itself
  signal?.addEventListener('abort', fire, { once: true });
  if (holds) addon.hold(true);
  try {
    for (const { before } of places) await before;
    return await call(addon, cancel, ...handles.map((one) => one[core].external));
  } catch (error) {
    if (signal?.aborted && error instanceof CancelledError) throw signal.reason;
    if (error instanceof GputideError) Error.captureStackTrace(error); // here: with the callers that await this
    throw error;
  } finally {
    signal?.removeEventListener('abort', fire);
    if (holds) addon.hold(false);
    addon.release(cancel);
    for (const { leave } of places) leave();
  }
}

/** C handles that this environment holds: opened here and not freed. */
function alive() {
  return native().alive();
}

module.exports = { SyncHandle, SharedHandle, ExclusiveHandle, waiting, alive, enter, core, asyncDispose };
