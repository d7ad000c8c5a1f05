// Runs a WebAssembly program for WASI: node wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest] });
const module = await WebAssembly.compile(await readFile(program));
process.exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
