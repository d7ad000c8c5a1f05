// The load of the next start-up time, for a host that scales in a loop of its own: step, decide, ask, write the size, book.
'use strict';

const { structs } = require('./abi.js');
const { SyncHandle, enter } = require('./handle.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { unixMs } = require('./time.js');
const { settingsIn } = require('./values.js');
const { word } = require('./words.js');

const AT = structs.floor;

function floorOut(memory) {
  const needReplicas = memory.getInt32(AT.need_replicas, true);
  const floorLoad = memory.getFloat64(AT.floor_load, true);
  return Object.freeze({
    state: word('forecast_state_name', memory.getInt32(AT.state, true)),
    reason: word('floor_reason_name', memory.getInt32(AT.reason, true)),
    replicas: memory.getInt32(AT.replicas, true),
    needReplicas: needReplicas < 0 ? null : needReplicas,
    floorLoad: Number.isNaN(floorLoad) ? null : floorLoad,
  });
}

class Forecast extends SyncHandle {
  constructor(settings) {
    super(native().forecast_open(settingsIn(settings)));
  }

  add(now, load) {
    native().forecast_add(this[enter](), unixMs(now), load ?? NaN);
  }

  floor(target, { reactiveReplicas, currentReplicas, maxReplicas } = {}) {
    const memory = new DataView(new ArrayBuffer(AT.size));
    native().forecast_floor(this[enter](), target, reactiveReplicas, currentReplicas, maxReplicas, memory);
    return floorOut(memory);
  }

  charge(writtenReplicas, shadowReplicas) {
    native().forecast_charge(this[enter](), writtenReplicas, shadowReplicas);
  }

  describe() {
    return json(native().forecast_describe(this[enter]()));
  }

  save() {
    return native().forecast_save(this[enter]());
  }

  load(text) {
    native().forecast_load(this[enter](), text);
  }
}

module.exports = { Forecast };
