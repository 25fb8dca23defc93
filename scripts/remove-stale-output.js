import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

// Deletes the compiled files whose source is gone, except those of the web app and of the documentation, which have their own builds. Tests and migrations are found by patterns, which would include them.
const root = path.dirname(import.meta.dirname);
for (const name of readdirSync(path.join(root, 'dist'), { recursive: true })) {
  const source = name.replace(/\.js(\.map)?$/, '.ts');
  if (name.startsWith('web') || name.startsWith('site')) continue;
  if (source !== name && !existsSync(path.join(root, source))) rmSync(path.join(root, 'dist', name));
}
