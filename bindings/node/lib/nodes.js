// The number of GPU nodes of each pool that waiting pods need, and which nodes may go: from texts alone, no network and no clock of its own.
'use strict';

const { structs } = require('./abi.js');
const { json } = require('./json.js');
const { native } = require('./native.js');
const { unixMs } = require('./time.js');

const AT = structs.nodes_summary;

function planNodes(text, { state = null, now } = {}) {
  const memory = new DataView(new ArrayBuffer(AT.size));
  const [plan, next] = native().nodes_plan(text, state, unixMs(now), memory);
  const count = (member) => Number(memory.getBigInt64(AT[member], true));
  return {
    json: json(plan),
    state: next,
    errors: memory.getUint32(AT.errors, true),
    warnings: memory.getUint32(AT.warnings, true),
    nodesToAdd: count('nodes_to_add'),
    nodesToRemove: count('nodes_to_remove'),
    podsPending: count('pods_pending'),
    podsOnExisting: count('pods_on_existing'),
    podsOnNew: count('pods_on_new'),
    podsLeft: count('pods_left'),
  };
}

module.exports = { planNodes };
