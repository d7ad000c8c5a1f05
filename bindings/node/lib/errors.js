// The error of a failed call: one class per status of gputide.h, all of them GputideError.
'use strict';

const { date } = require('./convert.js');
const { Status, Action } = require('./numbers.js');

const STATUS_NAMES = new Map(Object.entries(Status).map(([name, number]) => [number, name === 'OK' ? name : `E_${name}`]));
const ACTION_NAMES = new Map(Object.entries(Action).map(([name, number]) => [number, name.toLowerCase()]));

class GputideError extends Error {
  /** @param {object} members of gputide_error, by their C names */
  constructor(members) {
    super(members.where ? `${members.where}: ${members.message}` : members.message);
    this.code = STATUS_NAMES.get(members.status) ?? 'E_UNKNOWN';
    this.status = members.status;
    this.action = ACTION_NAMES.get(members.action) ?? 'unknown';
    this.retryable = members.retryable !== 0;
    this.retryAt = date(members.retry_at_ms);
    this.httpStatus = members.http_status || null;
    this.serviceCode = members.service_code;
    this.where = members.where;
    this.reason = members.message;
    hidden(this, 'detailText', members.detail);
    hidden(this, 'numbers', { action: members.action, retryAtMs: members.retry_at_ms });
  }

  get detail() {
    return this.detailText ? JSON.parse(this.detailText) : {};
  }
}
nameAs(GputideError, 'GputideError');

/** A property that console.log and JSON leave out. */
function hidden(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}

function nameAs(kind, name) {
  Object.defineProperty(kind.prototype, 'name', { value: name, writable: true, configurable: true, enumerable: false });
}

function kindOf(name) {
  const made = { [name]: class extends GputideError {} }[name];
  nameAs(made, name);
  return made;
}

const KINDS = {
  INVALID: kindOf('InvalidError'),
  AUTH: kindOf('AuthError'),
  FORBIDDEN: kindOf('ForbiddenError'),
  THROTTLED: kindOf('ThrottledError'),
  UNAVAILABLE: kindOf('UnavailableError'),
  UNSUPPORTED: kindOf('UnsupportedError'),
  TIMEOUT: kindOf('TimeoutError'),
  CANCELLED: kindOf('CancelledError'),
  REJECTED: kindOf('RejectedError'),
  PROTOCOL: kindOf('ProtocolError'),
  SECURITY: kindOf('SecurityError'),
  NO_DATA: kindOf('NoDataError'),
  AMBIGUOUS: kindOf('AmbiguousError'),
  PARTIAL: kindOf('PartialError'),
  LIMIT: kindOf('LimitError'),
  STATE: kindOf('StateError'),
  TOO_NEW: kindOf('TooNewError'),
  NO_MEMORY: kindOf('NoMemoryError'),
  BUG: kindOf('BugError'),
  NOT_FOUND: kindOf('NotFoundError'),
};
const BY_STATUS = new Map(Object.entries(KINDS).map(([name, made]) => [Status[name], made]));

/** The output of a failed call: a sample, findings. */
const given = new WeakMap();

/** For the addon: a filled gputide_error as an exception; a status without a class here is a GputideError. */
function errorOf(members, outputs) {
  const error = new (BY_STATUS.get(members.status) ?? GputideError)(members);
  given.set(error, outputs);
  return error;
}

const failure = (status, action, retryable, message) =>
  errorOf({ status, action, retryable, http_status: 0, retry_at_ms: 0, service_code: '', where: '', message, detail: '' }, null);

/** The error of a call that was ended before it reached the library. */
const cancelled = () => failure(Status.CANCELLED, Action.NONE, 0, 'canceled by the caller');

/** The error of a deadline that passed before it reached the library. */
const timedOut = (message) => failure(Status.TIMEOUT, Action.RETRY, 1, message);

class ClosedError extends Error {
  constructor(message) {
    super(message);
    this.code = 'ERR_GPUTIDE_CLOSED';
  }
}
nameAs(ClosedError, 'ClosedError');

class BusyError extends Error {
  constructor(message) {
    super(message);
    this.code = 'ERR_GPUTIDE_BUSY';
  }
}
nameAs(BusyError, 'BusyError');

class LibraryError extends Error {
  constructor(message) {
    super(message);
    this.code = 'ERR_GPUTIDE_LIBRARY';
  }
}
nameAs(LibraryError, 'LibraryError');

const classes = Object.fromEntries(Object.values(KINDS).map((made) => [made.prototype.name, made]));
module.exports = { GputideError, ...classes, ClosedError, BusyError, LibraryError, errorOf, cancelled, timedOut, given, hidden };
