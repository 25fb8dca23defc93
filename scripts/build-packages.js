import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { declareClient } from './client-types.js';

// Builds the packages of `packages/` from the compiled files: `npm run build` first. What they need is in their bundle,
// so they have no dependencies.
const root = path.dirname(import.meta.dirname);
const inDist = (...parts) => path.join(root, 'dist', ...parts);

async function bundle(name, entry, options = {}) {
  const folder = path.join(root, 'packages', name, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const built = await rolldown({ input: inDist('packages', name, 'src', entry), cwd: root, ...options });
  await built.write({ dir: folder, entryFileNames: entry, format: 'esm', sourcemap: true });
  await built.close();
  copyFileSync(path.join(root, 'LICENSE'), path.join(root, 'packages', name, 'LICENSE'));
  return folder;
}

const builds = {
  async client() {
    const folder = await bundle('client', 'index.js', { platform: 'neutral' });
    const { describeService } = await import(inDist('src', 'app', 'describe-service.js'));
    const head = readFileSync(path.join(root, 'packages', 'client', 'head.d.ts'), 'utf8');
    writeFileSync(path.join(folder, 'index.d.ts'), `${head}\n${declareClient(describeService('3.1'))}`);
  },
  async cli() {
    await bundle('cli', 'main.js', { platform: 'node' });
  },
};

for (const name of process.argv.slice(2)) await builds[name]();
