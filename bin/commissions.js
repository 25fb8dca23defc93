#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = new URL('../dist/src/app/cli.js', import.meta.url);

// A fresh checkout has not been compiled yet; one with only production packages must be built where it was made.
if (!existsSync(cli)) {
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const built =
    existsSync(compiler) && spawnSync(process.execPath, [compiler], { cwd: folder, stdio: 'inherit' }).status === 0;
  if (!built) {
    process.stderr.write('The service is not compiled. Run "npm ci && npm run build" first.\n');
    process.exit(1);
  }
}
await import(cli.href);
