'use strict';

const { ABI_VERSION, flags } = require('./abi.js');
const { JsonText, json } = require('./convert.js');
const { Decision, renderReport } = require('./decision.js');
const { errorOf, cancelled, timedOut, given, hidden, ...errors } = require('./errors.js');
const { alive } = require('./handle.js');
const { LogReader, logTo } = require('./log.js');
const { loadLibrary, native } = require('./native.js');
const numbers = require('./numbers.js');
const { Forecast, Replay, Rightsize, Series, decideScaledJob, planNodes } = require('./plan.js');
const { Policy, State } = require('./policy.js');
const { Runtime, ScalerEvent, doctorCluster, handOver, listCluster } = require('./runtime.js');
const { Scaler, checkManifest, doctor } = require('./scaler.js');
const { Credential, Source, Token, quantity, tokenClaims } = require('./source.js');
const { version } = require('../package.json');

const libraryVersion = () => native().version();
const libraryPath = () => native().path();
const buildInfo = () => json(native().build_info());

/** The names of what the library was built with. */
function features() {
  const bits = native().features();
  const known = Object.entries(flags.feature).filter(([, bit]) => (bits & bit) !== 0);
  return new Set(known.map(([name]) => name.replace('FEATURE_', '').toLowerCase()));
}

module.exports = {
  ...{ Policy, State, Decision, renderReport },
  ...{ Scaler, checkManifest, doctor },
  ...{ Runtime, ScalerEvent },
  ...{ Source, quantity },
  ...{ Credential, Token, tokenClaims },
  ...{ Series, Replay },
  ...{ Forecast, Rightsize, planNodes, listCluster, doctorCluster, handOver, decideScaledJob },
  ...{ LogReader, logTo },
  ...{ loadLibrary, libraryVersion, libraryPath, buildInfo, features, alive, JsonText, version, ABI_VERSION },
  ...errors,
  ...numbers,
};
