import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = path.join(root, 'test', 'tools');
const folder = path.join(root, 'node_modules', '.cache', 'test-tools');

/**
 * A folder with the packages and settings of `test/tools`: linters and generators that read the OpenAPI document. They are
 * a third of the size of all other packages, so only the slow tests install them.
 */
export async function installTestTools(): Promise<string> {
  const lock = readFileSync(path.join(source, 'package-lock.json'), 'utf8');
  const installed = path.join(folder, 'installed');
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true });
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return folder;
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  writeFileSync(installed, lock);
  return folder;
}
