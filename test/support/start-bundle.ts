// Copied into the bundle of the command, and run there. It loads the files of the bundle with the code that V8 stored
// when the bundle was made; compiling them would take most of a start.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const require = createRequire(import.meta.url);
const loaded: { readonly file: string; readonly script: vm.Script }[] = [];

function cachedCodePath(file: string): string {
  return `${file}.code`;
}

require.extensions['.part'] = (module: NodeJS.Module, file: string) => {
  const stored = cachedCodePath(file);
  const script = new vm.Script(Module.wrap(readFileSync(file, 'utf8')), {
    filename: file,
    ...(existsSync(stored) ? { cachedData: readFileSync(stored) } : {}),
  });
  loaded.push({ file, script });
  const run = script.runInThisContext() as (...parts: unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(file), module, file, path.dirname(file));
};

Object.assign(globalThis, {
  importModule: (name: string) => import(name),
  placeOfModule: (name: string) => import.meta.resolve(name),
});
require('./cli.part');
if (process.env['STORE_CODE'] !== undefined) {
  require('./serve.part');
  for (const { file, script } of loaded) writeFileSync(cachedCodePath(file), script.createCachedData());
}
