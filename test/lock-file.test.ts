import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface LockedPackage {
  readonly link?: true;
  readonly integrity?: string;
}

/** Builds of a package of the benchmarks for other platforms, which the registry does not have in this version. */
const unavailable = /^node_modules\/@gorules\/zen-engine-/;

for (const file of ['package-lock.json', 'bench/package-lock.json', 'test/tools/package-lock.json'])
  describe(file, () => {
    it('has the checksum of every package, so that an install rejects a changed one', () => {
      const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, LockedPackage>> };
      const unchecked = Object.entries(packages).filter(
        ([name, { link, integrity }]) =>
          name !== '' && !name.startsWith('packages/') && link !== true && integrity?.startsWith('sha512-') !== true,
      );
      expect(unchecked.map(([name]) => name).filter((name) => !unavailable.test(name))).to.deep.equal([]);
    });
  });
