import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

describe('the package', () => {
  it('contains the compiled commands, the web app and what they load, and no tests', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const names = files.map(({ path }) => path);
    for (const folder of ['src/app/cli.js', 'migrations/index.js', 'embedded-postgres/embedded-postgres.js'])
      expect(names).to.include(`dist/${folder}`);
    expect(names).to.include.members(['bin/commissions.js', 'dist/web/index.html']);
    expect(names.filter((name) => /^(dist\/)?(test|bench)\//.test(name))).to.deep.equal([]);
  });
});
