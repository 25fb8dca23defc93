import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Adds the migrations that are not released yet, and what they import, to the list under the version of package.json.
// From then on, the gate fails if one of these files changes.
const root = path.dirname(import.meta.dirname);
const folder = path.join(root, 'migrations');
const list = path.join(folder, 'released.sha256');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const listed = new Set(
  readFileSync(list, 'utf8')
    .split('\n')
    .map((line) => line.split('  ')[1]),
);
const added = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && name !== 'index.ts' && !listed.has(name))
  .sort()
  .map((name) => `${createHash('sha256').update(readFileSync(path.join(folder, name))).digest('hex')}  ${name}\n`);
appendFileSync(list, `# ${version}\n${added.join('')}`);
