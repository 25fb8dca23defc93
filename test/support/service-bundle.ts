import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { root } from './command.js';

const compiled = path.join(root, 'dist');
const folder = path.join(compiled, 'service-bundles');
const parts = ['src', 'workers', 'migrations', 'embedded-postgres', 'demo', 'fakes'];
/** Loaded on demand, and some of them find their own files by their place. */
const external = [
  /^node:/,
  /^@opentelemetry\/(?!api$)/,
  /^@bull-board\//,
  /^@modelcontextprotocol\//,
  /^(exceljs|puppeteer-core|stripe|nodemailer|embedded-postgres|pg-native)$/,
];

let bundle: Promise<string> | undefined;

/**
 * The command `commissions` in a few files instead of 1,600: it starts with a third of the CPU time, and fault tests
 * start hundreds of processes. It is made when the compiled code has changed.
 */
export function bundledCommand(): Promise<string> {
  bundle ??= currentBundle();
  return bundle;
}

async function currentBundle(): Promise<string> {
  const target = path.join(folder, hashOfCode());
  const command = path.join(target, 'cli.mjs');
  if (existsSync(command)) return command;
  await mkdir(folder, { recursive: true });
  const outdated = (await readdir(folder)).filter(
    (name) => !name.startsWith('draft-') && name !== path.basename(target),
  );
  const draft = await mkdtemp(path.join(folder, 'draft-'));
  await write(draft);
  // Another process may have been faster.
  await rename(draft, target).catch(() => rm(draft, { recursive: true }));
  for (const name of outdated) await rm(path.join(folder, name), { recursive: true, force: true });
  return command;
}

/** Includes the place of the code, which is part of the bundle, and how the bundle is made. */
function hashOfCode(): string {
  const hash = createHash('sha256').update(root);
  hash.update(readFileSync(new URL(import.meta.url)));
  hash.update(readFileSync(path.join(root, 'package-lock.json')));
  for (const part of parts)
    for (const name of readdirSync(path.join(compiled, part), { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(path.join(compiled, part, name)));
  return hash.digest('hex').slice(0, 16);
}

async function write(target: string): Promise<void> {
  const made = await rolldown({
    input: path.join(compiled, 'src', 'app', 'cli.js'),
    cwd: root,
    platform: 'node',
    external,
    logLevel: 'silent',
    plugins: [{ name: 'places of files', transform: (code, id) => code.replaceAll('import.meta.url', placeOf(id)) }],
  });
  await made.write({
    dir: target,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    // Without white space and comments, a start takes a quarter less CPU time.
    minify: { compress: false, mangle: false, codegen: true },
  });
  await made.close();
}

/** Code that looks for files beside its own finds them where it was compiled. */
function placeOf(file: string): string {
  return JSON.stringify(pathToFileURL(file).href);
}
