// Words for the numbers of gputide.h, as the library, Kubernetes and KEDA spell them.  A number without one stays a number.
'use strict';

const { wrong } = require('./convert.js');
const { native } = require('./native.js');
const numbers = require('./numbers.js');

const spelled = new Map();

/** By a C function that names numbers: "limit_name".  "unknown" there is the number here. */
function word(nameFunction, number) {
  const key = `${nameFunction} ${number}`;
  let found = spelled.get(key);
  if (found === undefined) {
    found = native()[nameFunction](number);
    if (found === 'unknown' || found === 'E_UNKNOWN') found = number;
    spelled.set(key, found);
  }
  return found;
}

/** Enums with words that are the names of their constants in lower case: "running", "hpa". */
const NAMED = Object.fromEntries(
  ['PodPhase', 'Readiness', 'DecisionSource', 'LogLevel', 'SampleState', 'Status'].map((name) => [
    name,
    new Map(Object.entries(numbers[name]).map(([key, number]) => [number, key.toLowerCase()])),
  ]),
);

function nameOf(enumName, number) {
  return NAMED[enumName].get(number) ?? number;
}

/** The number of a word, in whichever case, or the number that was given. */
function numberOf(enumName, given, what) {
  if (typeof given === 'number') return given;
  const number = typeof given === 'string' ? numbers[enumName][given.toUpperCase()] : undefined;
  if (number === undefined) {
    const known = [...NAMED[enumName].values()].join(', ');
    throw wrong(TypeError, 'ERR_INVALID_ARG_VALUE', `${what}: ${String(given)} is none of ${known}`);
  }
  return number;
}

const TRUTHS = { [numbers.Truth.TRUE]: 'True', [numbers.Truth.FALSE]: 'False', [numbers.Truth.UNKNOWN]: 'Unknown' };

/** A condition's status, as Kubernetes spells it. */
function truth(number) {
  return TRUTHS[number] ?? number;
}

module.exports = { word, nameOf, numberOf, truth };
