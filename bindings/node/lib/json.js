// JSON texts of the library: as they came, and parsed when asked for.
'use strict';

class JsonText {
  #text;
  #data;

  constructor(text) {
    this.#text = text;
  }

  get text() {
    return this.#text;
  }

  get data() {
    this.#data ??= JSON.parse(this.#text);
    return this.#data;
  }

  toString() {
    return this.#text;
  }

  toJSON() {
    return this.data;
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    return `JsonText ${inspect(this.data, options)}`;
  }
}

/** null stays null. */
function json(text) {
  return text === null ? null : new JsonText(text);
}

module.exports = { JsonText, json };
