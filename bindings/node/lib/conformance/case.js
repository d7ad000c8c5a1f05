// One line of the protocol: its calls one after another, and what they opened.
'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const v8 = require('node:v8');
const vm = require('node:vm');
const gputide = require('../index.js');
const { CALLS } = require('./calls.js');
const values = require('./values.js');

const PATIENCE_MS = 5_000;

/** A call names what an earlier one failed to open. */
class Missing extends Error {}

/** A call that cannot be made as it is written. */
class Fault extends Error {}

/** A call's arguments by their names, and its result.  What is absent is "", 0, undefined. */
class Call {
  constructor(given, things, policies) {
    this.arguments = given;
    this.result = {};
    this.things = things;
    this.policies = policies;
  }

  has(name) {
    return name in this.arguments;
  }

  integer(name) {
    return values.integer(this.arguments[name] ?? 0);
  }

  text(name) {
    return values.text(this.arguments[name] ?? '');
  }

  flag(name) {
    return this.arguments[name] === true;
  }

  options() {
    return this.has('options') ? values.options(this.arguments.options) : undefined;
  }

  seen() {
    return values.observation(this.arguments.seen ?? {});
  }

  handle(role, kind) {
    return this.find(this.arguments[role], kind);
  }

  find(name, kind) {
    if (name === undefined) throw new Fault('a handle is not named');
    if (!this.things.has(name)) throw new Missing(name);
    const thing = this.things.get(name);
    if (!(thing instanceof kind)) throw new Fault(`${name} is a ${thing.constructor.name}`);
    return thing;
  }

  /** The one named, or the state's own. */
  policy() {
    return this.find(this.arguments.policy ?? this.policies.get(this.arguments.state), gputide.Policy);
  }

  /** Of a state that this call opens. */
  belongsTo(policy) {
    this.policies.set(this.arguments.as, policy);
  }

  opens(thing) {
    const name = this.arguments.as;
    if (this.things.has(name) && typeof thing.close === 'function') throw new Fault(`as: the name ${name} is taken`);
    this.things.set(name, thing);
  }

  decided(decision) {
    this.result.decision = values.decision(decision);
    if (this.flag('report')) this.result.report = decision.report.text;
    if (this.has('as')) this.opens(decision);
  }
}

async function resultOf(call) {
  const run = CALLS[call.arguments.call];
  if (run === undefined) throw new Fault('an unknown call');
  try {
    await run(call);
  } catch (error) {
    if (error instanceof Missing) return { missing: error.message };
    if (error instanceof gputide.GputideError) {
      call.result.error = values.error(error);
    } else if (error instanceof gputide.ClosedError) {
      call.result.error = values.refused(gputide.Status.STATE, error);
    } else if (/^ERR_(INVALID_ARG_VALUE|OUT_OF_RANGE)$/.test(error.code)) {
      call.result.error = values.refused(gputide.Status.INVALID, error); // what this package refuses before C sees it
    } else {
      throw error;
    }
  }
  return call.result;
}

async function close(things, order) {
  const handles = [...things.values()].filter((thing) => typeof thing.close === 'function');
  things.clear();
  if (order === 'collect') return;
  for (const handle of order === 'reverse' ? handles.reverse() : handles) await handle.close();
}

let collect;

/** How many handles are left; what was forgotten is freed some turns of the loop after it was collected. */
async function alive(order) {
  const until = Date.now() + PATIENCE_MS;
  while (order === 'collect' && gputide.alive() > 0 && Date.now() < until) {
    if (collect === undefined) {
      v8.setFlagsFromString('--expose-gc');
      collect = vm.runInNewContext('gc');
    }
    collect();
    await sleep(1);
  }
  return gputide.alive();
}

async function answer(line) {
  const out = { case: line.case, results: [] };
  const things = new Map();
  const policies = new Map(); // of states, by name
  for (const one of line.calls) {
    try {
      out.results.push(await resultOf(new Call(one, things, policies)));
    } catch (error) {
      out.fault = `${JSON.stringify(one).slice(0, 200)}: ${error.stack}`;
      break;
    }
  }
  const order = line.close ?? 'reverse';
  await close(things, order);
  return { ...out, alive: await alive(order) };
}

module.exports = { answer };
