import { readdirSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

// Compiles the unit tests of the web app with the files that they test, as the browser build does: each test file
// becomes one file. A name such as `numbers.de-DE.test.ts` has the language of the reader.
const root = path.dirname(import.meta.dirname);
const folder = path.join('test', 'web', 'logic');

async function compile(name) {
  const language = /\.([a-z]{2}-[A-Z]{2})\.test\.ts$/.exec(name)?.[1] ?? 'en-US';
  const bundle = await rolldown({
    input: path.join(root, folder, name),
    cwd: root,
    tsconfig: path.join(root, 'web', 'tsconfig.json'),
    platform: 'node',
    external: /^[^.#/]/,
    transform: {
      define: {
        navigator: JSON.stringify({ language }),
        'document.baseURI': JSON.stringify('https://commissions.test/'),
      },
    },
  });
  await bundle.write({
    file: path.join(root, 'dist', folder, name.replace(/\.ts$/, '.js')),
    codeSplitting: false,
    sourcemap: true,
  });
  await bundle.close();
}

const names = readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.test.ts'));
await Promise.all(names.map(compile));
