// The library as WebAssembly: texts in, parsed JSON out.  gputide.wasm.js holds its bytes in base64, so that the page needs no server.
'use strict';

const Engine = (() => {
  let calls;

  // A program without files, clock or environment asks the system for nothing that matters here.
  const system = new Proxy({}, {
    get: (_, name) => (name === 'proc_exit' ? () => { throw new WebAssembly.RuntimeError('out of memory'); } : () => 8 /* EBADF */),
  });

  // Starts the library, or starts it again after a WebAssembly.RuntimeError; then it has no recording.
  async function open() {
    const bytes = Uint8Array.from(atob(GPUTIDE_WASM), (c) => c.charCodeAt(0));
    const made = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: system });
    calls = made.instance.exports;
    if (calls._initialize) calls._initialize();
  }

  function call(name, ...texts) {
    const held = texts.map((text) => {
      const bytes = new TextEncoder().encode(text);
      const at = calls.allocate(bytes.length + 1);
      if (at === 0) throw new WebAssembly.RuntimeError('out of memory');
      new Uint8Array(calls.memory.buffer).set(bytes, at);
      return [at, bytes.length];
    });
    calls[name](...held.flat());
    held.forEach(([at]) => calls.release(at));
    const data = new Uint8Array(calls.memory.buffer, calls.answer_data(), calls.answer_size());
    return JSON.parse(new TextDecoder().decode(data));
  }

  return {
    open,
    readSeries: (text) => call('read_series', text),
    describe: (manifest) => call('describe', manifest),
    replay: (manifest, settings) => call('replay', manifest, JSON.stringify(settings)),
  };
})();
