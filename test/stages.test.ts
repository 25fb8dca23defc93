import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The patterns of test files in the stages of `npm test`. */
const patterns = ['test:fast', 'test:faults', 'test:budgets'].flatMap((stage) =>
  [...(scripts[stage] ?? '').matchAll(/'([^']+)'/g)].map(([, pattern]) => pattern as string),
);

/** The files of a pattern as Mocha finds them. Throws if there is none, of which Mocha itself only warns. */
const { lookupFiles } = (await import('mocha/lib/cli/lookup-files.js' as string)) as {
  lookupFiles(pattern: string, extensions: readonly string[], isRecursive: boolean): readonly string[];
};

describe('the test stages', () => {
  it('run every test file exactly once', () => {
    const files = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => path.join('dist/test', file).replace(/\.ts$/, '.js'));
    expect(files).not.to.deep.equal([]);
    expect(patterns.flatMap((pattern) => lookupFiles(pattern, ['js'], false)).sort()).to.deep.equal(files.sort());
  });
});
