// One poll of a KEDA ScaledJob: how many Jobs to create, from texts alone.
'use strict';

const { json } = require('./json.js');
const { native } = require('./native.js');
const { optionsIn, settingsIn } = require('./values.js');

function decideScaledJob(manifest, observation, options) {
  return json(native().scaled_job_decide(manifest, optionsIn(options), settingsIn(observation)));
}

module.exports = { decideScaledJob };
