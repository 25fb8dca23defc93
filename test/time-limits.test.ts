import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = path.join(root, 'test');
const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');

describe('tests, which a busy machine runs several times as slowly,', () => {
  it('have no limit that is shorter than that of all tests', () => {
    const { timeout } = JSON.parse(readFileSync(path.join(root, '.mocharc.json'), 'utf8')) as { timeout: number };
    const shorter = tests.flatMap((file) =>
      [...read(file).matchAll(/\bthis\.timeout\((?<limit>[\d_]+)\)/g)]
        .filter(({ groups }) => Number(groups?.['limit']?.replaceAll('_', '')) <= timeout)
        .map(([text]) => `${file}: ${text}`),
    );
    expect(shorter).to.deep.equal([]);
  });

  it('measure no time, except in budgets and slow files', () => {
    const measuring = tests
      .filter((file) => !/\.(?:budget|slow)\.test\.ts$/.test(file) && file !== 'time-limits.test.ts')
      .filter((file) => read(file).includes('performance.now('));
    expect(measuring).to.deep.equal([]);
  });
});
