import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

// Bundles the web app into dist/web and compresses its files. Without a change nothing is done. `npm run lint` checks
// the types, which takes longer than the bundle.
const root = path.dirname(import.meta.dirname);
const output = path.join(root, 'dist', 'web');
const stamp = path.join(root, 'dist', 'web.stamp');

const sources = [
  ...readdirSync(path.join(root, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name)),
  ...['src/client.ts', 'src/client-routes.ts', 'src/operations.ts', 'package-lock.json'].map((name) =>
    path.join(root, name),
  ),
].sort();
const hash = createHash('sha256');
for (const file of sources) hash.update(file).update(readFileSync(file));
const current = hash.digest('hex');

if (!existsSync(path.join(output, 'index.html')) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== current) {
  const bundler = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['build', '--config', 'web/vite.config.ts', '--logLevel', 'warn'];
  const { status } = spawnSync(process.execPath, [bundler, ...options], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  for (const name of readdirSync(output, { recursive: true })) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const bytes = readFileSync(path.join(output, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    if (bytes.length < 1024) continue;
    writeFileSync(path.join(output, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(path.join(output, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
  writeFileSync(stamp, current);
}
