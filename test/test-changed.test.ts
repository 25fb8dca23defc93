import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

/** The compiled files of a project with two slices, of which the service consists. */
const compiled = {
  'src/app/main.js': "import '../operations.js';",
  'src/operations.js': "import './deals/queries/get-deal.js'; import './plans/queries/get-plan.js';",
  'src/deals/queries/get-deal.js': "import '../deal-views.js';\noperation({\n    path: '/v1/deals/:dealId',\n});",
  'src/deals/deal-views.js': '',
  'src/plans/queries/get-plan.js': "import '#src/kernel/day.js';",
  'src/kernel/day.js': '',
  'test/support/running-service.js': "import '#src/app/main.js';",
  'test/kernel/day.test.js': "import '#src/kernel/day.js';",
  'test/deals/deals.test.js': "import '../support/running-service.js';",
  'test/deals/deals.slow.test.js': "import '../support/running-service.js';",
  'test/plans/plans.test.js': "import '../support/running-service.js'; const source = 'docs/plans.md';",
  'test/pages/pages.test.js': "import '../support/running-service.js'; get('/v1/deals/D-1');",
  'test/web/logic/words.test.js': '',
  'test/web/logic/words.test.js.map': JSON.stringify({ sources: ['../../../../web/src/words.ts'] }),
};

describe('npm run test:changed', () => {
  let root = '';

  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'commissions-changed-'));
    write('package.json', '{ "type": "module" }');
    cpSync(scripts, path.join(root, 'scripts'), { recursive: true });
    for (const [name, text] of Object.entries(compiled)) write(`dist/${name}`, text);
    for (const args of [['init'], ['add', '.'], ['commit', '-m', 'first']]) git(...args);
  });

  after(() => rmSync(root, { recursive: true, force: true }));

  function write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }

  function git(...args: string[]): void {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@acme.test', '-c', 'commit.gpgsign=false'];
    const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  }

  function selected(...args: string[]): string[] {
    const command = ['scripts/test-changed.js', '--list', ...args];
    const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
    expect(stderr).to.equal('');
    return [...stdout.matchAll(/^dist\/test\/(.+)\.test\.js$/gm)].map(([, name]) => name as string);
  }

  it('finds tests that import the file, also through other files', () => {
    expect(selected('src/kernel/day.ts')).to.deep.equal(['kernel/day']);
  });

  it('finds tests of the running service by the slice and by the addresses of its operations', () => {
    expect(selected('src/deals/deal-views.ts')).to.deep.equal(['deals/deals', 'pages/pages']);
    expect(selected('src/plans/queries/get-plan.ts')).to.deep.equal(['plans/plans']);
  });

  it('finds all tests of the running service for what every service imports', () => {
    expect(selected('src/operations.ts')).to.deep.equal(['deals/deals', 'pages/pages', 'plans/plans']);
  });

  it('finds tests of the web app by the sources of their bundles, and tests that name a page', () => {
    expect(selected('web/src/words.ts')).to.deep.equal(['web/logic/words']);
    expect(selected('docs/plans.md')).to.deep.equal(['plans/plans']);
  });

  it('compares with the last commit, or with another one', () => {
    expect(selected()).to.deep.equal([]);
    write('src/kernel/day.ts', 'changed');
    expect(selected()).to.deep.equal(['kernel/day']);
    git('add', '.');
    git('commit', '-m', 'second');
    expect(selected()).to.deep.equal([]);
    expect(selected('--base', 'HEAD~1')).to.deep.equal(['kernel/day']);
  });
});
