import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// Writes the OpenAPI documents, which take a second of CPU time each, into dist/openapi. Without a change of the compiled
// code nothing is done.
const dist = path.join(path.dirname(import.meta.dirname), 'dist');
const output = path.join(dist, 'openapi');
const stamp = path.join(output, 'stamp');

const hash = createHash('sha256').update(readFileSync(import.meta.filename));
for (const name of readdirSync(path.join(dist, 'src'), { recursive: true, encoding: 'utf8' }).sort())
  if (name.endsWith('.js')) hash.update(name).update(readFileSync(path.join(dist, 'src', name)));
const current = hash.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== current) {
  const { describeService } = await import('../dist/src/app/describe-service.js');
  mkdirSync(output, { recursive: true });
  for (const version of ['3.0', '3.1'])
    writeFileSync(path.join(output, `${version}.json`), JSON.stringify(describeService(version)));
  writeFileSync(stamp, current);
}
