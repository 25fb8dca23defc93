import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('time limits of tests', () => {
  it('are not shorter than the limit of all tests: a busy machine takes several times as long', () => {
    const { timeout } = JSON.parse(readFileSync(path.join(root, '.mocharc.json'), 'utf8')) as { timeout: number };
    const files = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' });
    const shorter = files
      .filter((file) => file.endsWith('.test.ts'))
      .flatMap((file) =>
        [...readFileSync(path.join(root, 'test', file), 'utf8').matchAll(/\bthis\.timeout\((?<limit>[\d_]+)\)/g)]
          .filter(({ groups }) => Number(groups?.['limit']?.replaceAll('_', '')) <= timeout)
          .map(([text]) => `${file}: ${text}`),
      );
    expect(shorter).to.deep.equal([]);
  });
});
