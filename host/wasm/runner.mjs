// Runs real MicroPython (WebAssembly) for host/wasm/__init__.py: one JSON request a line on standard
// input, one JSON answer a line on standard output. Every request is a call of its own, because this
// port's garbage collector frees only between calls.

import { createInterface } from "node:readline";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const heapsize = Number(process.argv[2]);
const printed = [];
const decoder = new TextDecoder();
const collect = (bytes) => printed.push(...bytes);

const mp = await loadMicroPython({
  heapsize,
  url: new URL("./node_modules/@micropython/micropython-webassembly-pyscript/micropython.wasm", import.meta.url).pathname,
  linebuffer: false,
  stdout: collect,
  stderr: collect,
});

function writeFile(path, base64) {
  const folder = path.slice(0, path.lastIndexOf("/"));
  if (folder) mp.FS.mkdirTree(folder);
  mp.FS.writeFile(path, Buffer.from(base64, "base64"));
}

function answer(request) {
  printed.length = 0;
  try {
    if (request.do === "write") writeFile(request.path, request.base64);
    else if (request.do === "run") {
      if (request.input !== undefined) mp.globals.set("request", request.input);
      mp.runPython(request.code);
    } else throw new Error(`unknown request ${request.do}`);
    return { ok: true, out: decoder.decode(Uint8Array.from(printed)) };
  } catch (error) {
    return { ok: false, error: String(error.message ?? error), out: decoder.decode(Uint8Array.from(printed)) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
}
