// Many scalers, and the calls for a cluster.
'use strict';

const { FOREVER, structs } = require('./abi.js');
const { date, durationMs, json, unixMs, wrong } = require('./convert.js');
const { decisionOf, recorded, decisionBuffer } = require('./decision.js');
const { CancelledError, ClosedError, NoDataError, NotFoundError } = require('./errors.js');
const { SharedHandle, core, enter, waiting } = require('./handle.js');
const { native } = require('./native.js');
const { EventKind } = require('./numbers.js');
const { diagnosis } = require('./scaler.js');
const { observationIn, optionsIn, runtimeOptionsIn, samplesIn, settingsIn } = require('./values.js');
const { word } = require('./words.js');

// Many scalers in one process: polled at their intervals, over shared connections and tokens; decisions come as events.

const DEFAULT_MS = 10_000;
const NEVER_MS = 2n ** 63n - 1n;
const AT = structs.event;

/** A number where it is exact there, else a bigint. */
function whole(memory, offset) {
  const value = memory.getBigUint64(offset, true);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** The name in memory of C: "namespace/name" up to its NUL. */
function nameIn(memory) {
  const bytes = Buffer.from(memory.buffer, memory.byteOffset + AT.name, AT.size - AT.name);
  return bytes.toString('utf8', 0, bytes.indexOf(0));
}

class ScalerEvent {
  constructor(memory, decision) {
    const kind = memory.getInt32(AT.kind, true);
    this.kind = word('event_kind_name', kind);
    this.id = whole(memory, AT.id);
    this.tag = whole(memory, AT.tag);
    this.name = nameIn(memory);
    this.sequence = whole(memory, AT.sequence);
    this.observed = date(memory.getBigInt64(AT.observed_ms, true));
    this.replaced = memory.getUint32(AT.replaced, true);
    this.due = kind === EventKind.DUE;
    this.decision = this.due ? null : decision;
  }

  get current() {
    return this.decision?.current ?? null;
  }

  get desired() {
    return this.decision?.desired ?? null;
  }

  get wantsWrite() {
    return this.decision?.wantsWrite ?? false;
  }

  get report() {
    return this.decision?.report ?? null;
  }
}

class Runtime extends SharedHandle {
  #closing;

  constructor(options) {
    super(native().runtime_new(runtimeOptionsIn(options)), [], endForgotten);
  }

  add(manifest, { tag = 0, ...options } = {}) {
    return native().runtime_add(this[enter](), manifest, optionsIn(options), tag);
  }

  replace(id, manifest, { tag, ...options } = {}) {
    const chosen = tag === undefined || tag === null ? null : BigUint64Array.of(BigInt(tag));
    native().runtime_replace(this[enter](), id, manifest, optionsIn(options), chosen);
  }

  remove(id) {
    native().runtime_remove(this[enter](), id);
  }

  find(name) {
    return native().runtime_find(this[enter](), name);
  }

  nextScaler(after = 0) {
    return native().runtime_next_scaler(this[enter](), after);
  }

  *scalers() {
    let id = 0;
    for (;;) {
      try {
        id = this.nextScaler(id);
      } catch (error) {
        if (error instanceof NotFoundError) return;
        throw error;
      }
      yield id;
    }
  }

  observe(id, observation) {
    native().runtime_observe(this[enter](), id, observationIn(observation));
  }

  push(id, samples) {
    const list = samplesIn(samples);
    native().runtime_push(this[enter](), id, list, structs.sample.size, list.length);
  }

  async nextEvent({ timeout = DEFAULT_MS, signal } = {}) {
    return this.#next(durationMs(timeout), signal);
  }

  async #next(timeoutMs, signal) {
    const memory = new DataView(new ArrayBuffer(AT.size));
    const decision = decisionBuffer();
    try {
      const report = await waiting([this], { signal, timeoutMs }, (addon, cancel, leftMs, runtime) =>
        addon.waiting.runtime_next_event(runtime, leftMs, cancel, memory, decision),
      );
      return new ScalerEvent(memory, decisionOf(decision, report));
    } catch (error) {
      if (error instanceof NoDataError) return null;
      throw error;
    }
  }

  events({ signal } = {}) {
    return new Events((own) => this.#next(FOREVER, own), signal);
  }

  record(event, applied, now, message) {
    if (!(event instanceof ScalerEvent) || event.decision === null) {
      throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'expected a ScalerEvent with a decision');
    }
    this.recordDecision(event.id, event.decision, applied, now, message);
  }

  recordDecision(id, decision, applied, now, message) {
    const runtime = this[enter]();
    recorded(decision, applied, message, (memory) => {
      native().runtime_record(runtime, id, memory, applied ? 1 : 0, unixMs(now));
    });
  }

  save(id) {
    return native().runtime_save(this[enter](), id);
  }

  load(id, text) {
    native().runtime_load(this[enter](), id, text);
  }

  describe(id) {
    return json(native().runtime_describe(this[enter](), id));
  }

  stats() {
    return json(native().runtime_stats(this[enter]()));
  }

  attachCluster(settings = '', options = {}) {
    native().cluster_attach(this[enter](), settings, optionsIn(options));
  }

  async detachCluster({ timeout = DEFAULT_MS } = {}) {
    const timeoutMs = durationMs(timeout);
    await waiting([this], { timeoutMs }, (addon, cancel, leftMs, runtime) => addon.waiting.cluster_detach(runtime, leftMs));
  }

  describeCluster() {
    return json(native().cluster_describe(this[enter]()));
  }

  start() {
    native().runtime_start(this[enter]());
  }

  async stop({ timeout = DEFAULT_MS } = {}) {
    const timeoutMs = durationMs(timeout);
    await waiting([this], { timeoutMs }, (addon, cancel, leftMs, runtime) => addon.waiting.runtime_stop(runtime, leftMs));
  }

  step(now) {
    const next = native().runtime_step(this[enter](), unixMs(now));
    return next === NEVER_MS ? null : next;
  }

  wakeFd() {
    return native().runtime_wake_fd(this[enter]());
  }

  async close({ timeout } = {}) {
    this._beginClosing();
    this.#closing ??= this.#close(timeout === undefined ? FOREVER : durationMs(timeout));
    try {
      await this.#closing;
    } catch (error) {
      this.#closing = undefined; // where it took longer: call again
      throw error;
    }
  }

  async #close(timeoutMs) {
    const { external } = this[core];
    await waiting([], { timeoutMs }, (addon, cancel, leftMs) => addon.waiting.runtime_close(external, leftMs));
    await super.close();
  }
}

/** Ends a forgotten runtime: its thread has to end first, which a collector must not wait for. */
function endForgotten([runtime]) {
  native()
    .waiting.runtime_close(runtime.external, FOREVER)
    .finally(() => runtime.release());
}

/** Every event until the runtime is closed; each is given to one consumer.  The next one is asked for when the consumer asks. */
class Events {
  #next;
  #signal;
  #returned = new AbortController();
  #last = Promise.resolve();

  constructor(next, signal) {
    this.#next = next;
    this.#signal = signal;
  }

  next() {
    const result = this.#last.then(() => this.#takeNext());
    this.#last = result.catch(() => {});
    return result;
  }

  async #takeNext() {
    const done = { done: true, value: undefined };
    if (this.#returned.signal.aborted) return done;
    this.#signal?.throwIfAborted();
    const either = this.#signal ? AbortSignal.any([this.#signal, this.#returned.signal]) : this.#returned.signal;
    try {
      return { done: false, value: await this.#next(either) };
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (this.#returned.signal.aborted || error instanceof CancelledError || error instanceof ClosedError) return done;
      throw error;
    }
  }

  async return(value) {
    this.#returned.abort();
    return { done: true, value };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

// A Kubernetes cluster without a runtime: its lists, read once, which planNodes takes, its diagnosis, and a ScaledObject that is
// handed over from KEDA to gputide, or back.

const CLUSTER_MS = 60_000;

async function listCluster(path, { options, timeout = CLUSTER_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return waiting([], { signal, timeoutMs }, (addon, cancel, leftMs) => addon.waiting.cluster_list(path, chosen, leftMs, cancel));
}

async function doctorCluster(settings = '', { options, timeout = CLUSTER_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return diagnosis({ signal, timeoutMs }, (addon, cancel, leftMs) =>
    addon.waiting.cluster_doctor(settings, chosen, leftMs, cancel),
  );
}

async function handOver(change, { options, timeout = CLUSTER_MS, signal } = {}) {
  const text = settingsIn(change);
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return json(
    await waiting([], { signal, timeoutMs }, (addon, cancel, leftMs) =>
      addon.waiting.cluster_handover(text, chosen, leftMs, cancel),
    ),
  );
}

module.exports = { Runtime, ScalerEvent, listCluster, doctorCluster, handOver };
