import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runCommand } from '#test/support/run-command.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const table = {
  keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
  columns: [{ name: 'base', kind: 'rate' }],
  rows: [
    { keys: { family: 'software' }, values: { base: 0.1 } },
    { keys: { family: '*' }, values: { base: 0.03 } },
  ],
};

describe('commissions table', () => {
  const service = Service.duringSuite();
  let folder: string;
  let workspace: Workspace;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'table-files-'));
    workspace = await service.workspace();
    const { api } = workspace;
    const [ann] = await api.saveReps('Ann');
    await api.expect(200, 'PUT', '/v1/rate-tables/Products', table);
    const tiers = [{ tierIndex: 0, minThreshold: 0, table: 'Products' }];
    const config = { rules: [{ name: 'New', measure: 'line.amount', lines: {}, tiers }] };
    await api.createPlan({ name: 'AE', config }, [ann as string]);
    await api.expect(201, 'PUT', '/v1/deals/D1', {
      closeDate: '2026-02-10',
      repId: ann,
      lines: [{ lineId: 'L1', family: 'software', amount: 1000 }],
    });
    await workspace.calculated();
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: string[]) =>
    runCommand(['table', ...args], { COMMISSIONS_URL: service.url, COMMISSIONS_KEY: workspace.apiKey }, folder);

  it('pulls a file whose rows have a line each, shows the effect of a change on commission, and pushes it', async () => {
    const file = path.join(folder, 'products.yaml');
    expect(await run('pull')).to.include({ code: 0 });
    const pulled = readFileSync(file, 'utf8');
    expect(pulled).to.include('- { keys: { family: software }, values: { base: 0.1 } }');
    expect(await run('diff', file)).to.include({ code: 0, stdout: `${file}: no change\n` });
    expect((await run('push', file)).stdout).to.equal(`${file}: no change\n`);

    writeFileSync(file, `# Raised in May\n${pulled.replace('base: 0.1 ', 'base: 0.2 ')}`);
    const changed = await run('diff', file);
    expect(changed, changed.stderr).to.include({ code: 1 });
    expect(changed.stdout).to.include('0 rows added, 1 changed, 0 ended').and.include('plans: AE');
    expect(changed.stdout).to.include('commission: +100.00 USD');
    expect((await run('push', file)).stdout).to.equal(
      `${file}: changed Products, revision 2, 0 rows added, 1 changed, 0 ended\n`,
    );
    expect(await run('pull', 'products')).to.include({ code: 0 });
    expect(readFileSync(file, 'utf8')).to.match(/^# Raised in May\n/);
    expect(await run('diff', file)).to.include({ code: 0 });
  });

  it('creates a table, and exits with 2 and a reason on errors', async () => {
    const file = path.join(folder, 'regions.json');
    writeFileSync(file, JSON.stringify({ name: 'Regions', ...table }));
    expect((await run('diff', file)).stdout).to.include('creates the rate table Regions');
    expect((await run('push', file)).stdout).to.include('created Regions, revision 1, 2 rows added');
    writeFileSync(file, JSON.stringify({ name: 'Regions', ...table, rows: [...table.rows, table.rows[0]] }));
    const wrong = await run('push', file);
    expect(wrong).to.include({ code: 2 });
    expect(wrong.stderr).to.include(`${file}: rows_overlap`);
    const missing = await run('pull', 'Nope');
    expect(missing).to.include({ code: 2 });
    expect(missing.stderr).to.include('there is no rate table Nope');
  });
});
