// One poll of a KEDA ScaledJob: how many Jobs to create, from texts alone.
'use strict';

const { json } = require('./json.js');
const { native } = require('./native.js');
const { optionsIn, settingsIn } = require('./values.js');

function decideJobs(manifest, seen, options) {
  return json(native().jobs_decide(manifest, optionsIn(options), settingsIn(seen)));
}

module.exports = { decideJobs };
