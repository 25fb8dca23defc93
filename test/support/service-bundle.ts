import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { root } from './command.js';

const compiled = path.join(root, 'dist');
const folder = path.join(compiled, 'service-bundles');
const parts = ['src', 'workers', 'migrations', 'embedded-postgres', 'demo', 'fakes'];
/** Loaded on demand, and some of them find their own files by their place. */
const external = [
  /^node:/,
  /^@opentelemetry\/(?!api$)/,
  /^@modelcontextprotocol\//,
  /^(exceljs|puppeteer-core|stripe|nodemailer|embedded-postgres|ssh2|pg-native)$/,
];

const [here, loader] = ['./service-bundle.js', './start-bundle.js'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string];

let bundle: Promise<string> | undefined;

/**
 * The command `commissions` in a few compiled files instead of 1,600 sources: it starts with a fifth of the CPU time, and
 * fault tests start hundreds of processes. It is made when the compiled code has changed.
 */
export function bundledCommand(): Promise<string> {
  bundle ??= currentBundle();
  return bundle;
}

async function currentBundle(): Promise<string> {
  const target = path.join(folder, hashCode());
  const command = path.join(target, 'start.mjs');
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
function hashCode(): string {
  const hash = createHash('sha256').update(root);
  for (const file of [here, loader]) hash.update(readFileSync(file));
  hash.update(readFileSync(path.join(root, 'package-lock.json')));
  for (const part of parts)
    for (const name of readdirSync(path.join(compiled, part), { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(path.join(compiled, part, name)));
  return hash.digest('hex').slice(0, 16);
}

async function write(target: string): Promise<void> {
  const compiledBundle = await rolldown({
    input: {
      cli: path.join(compiled, 'src', 'app', 'cli.js'),
      serve: path.join(compiled, 'src', 'app', 'commands', 'serve.js'),
    },
    cwd: root,
    platform: 'node',
    external,
    logLevel: 'silent',
    plugins: [{ name: 'places of files', transform: placed }],
  });
  await compiledBundle.write({
    dir: target,
    // V8 stores the code of scripts, and not that of ES modules.
    format: 'cjs',
    keepNames: true,
    entryFileNames: '[name].part',
    chunkFileNames: '[name]-[hash].part',
    minify: { compress: false, mangle: false, codegen: true },
  });
  await compiledBundle.close();
  const start = path.join(target, 'start.mjs');
  await copyFile(loader, start);
  await promisify(execFile)(process.execPath, [start, 'version'], { env: { ...process.env, STORE_CODE: '1' } });
}

/**
 * Code that looks for files beside its own finds them where it was compiled. Scripts with stored code cannot import
 * modules, and no script can await at its end.
 */
function placed(code: string, id: string): string {
  return code
    .replace(/\bimport\('([^']+)'\)/g, (whole, name: string) =>
      external.some((pattern) => pattern.test(name)) ? `globalThis.importModule('${name}')` : whole,
    )
    .replaceAll('import.meta.resolve', 'globalThis.placeOfModule')
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replace(/^await (?=program\.parseAsync)/m, 'void ');
}
