// Finds what a workload really needs: samples of its GPUs in, bounds and what to run it on out.
'use strict';

const { flags, structs } = require('./abi.js');
const { SyncHandle, enter } = require('./handle.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { unixMs, wrong } = require('./time.js');
const { optionsIn, settingsIn } = require('./values.js');

const { USAGE_BUSY, USAGE_MEMORY, USAGE_OOM } = flags.usageFlag;

/** A member that is null or left out is not told; of a container that ran out of memory its memory is what it had requested. */
function usageIn(given) {
  if (typeof given !== 'object' || given === null) {
    throw wrong(TypeError, 'ERR_INVALID_ARG_TYPE', 'samples: expected objects: { time, busy, memoryBytes }');
  }
  const { time, busy = null, memoryBytes = null, oom = false, container = 0, unit = 0 } = given;
  const told = (busy === null ? 0 : USAGE_BUSY) | (memoryBytes === null || oom ? 0 : USAGE_MEMORY);
  return {
    time_ms: unixMs(time, 'time'),
    container,
    unit,
    flags: told | (oom ? USAGE_OOM : 0),
    busy,
    memory_bytes: memoryBytes,
  };
}

class Rightsize extends SyncHandle {
  constructor(settings, options) {
    super(native().rightsize_open(settingsIn(settings) ?? '', optionsIn(options)));
  }

  describe() {
    return json(native().rightsize_describe(this[enter]()));
  }

  container(name) {
    return native().rightsize_container(this[enter](), name);
  }

  add(samples) {
    const rightsize = this[enter]();
    const list = Array.from(samples, usageIn);
    return native().rightsize_add(rightsize, list, structs.usage_sample.size, list.length);
  }

  recommend({ container = 0, now } = {}) {
    return json(native().rightsize_recommend(this[enter](), container, unixMs(now)));
  }

  fit(memoryBytes, utilPercent) {
    return json(native().rightsize_fit(this[enter](), memoryBytes, utilPercent));
  }

  save({ container = 0, now } = {}) {
    return native().rightsize_save(this[enter](), container, unixMs(now));
  }

  load(text, { container = 0 } = {}) {
    native().rightsize_load(this[enter](), container, text);
  }
}

module.exports = { Rightsize };
