import { expect } from 'chai';
import { Client } from 'pg';
import { Decimal } from '#src/kernel/decimal.js';
import { loadRepTerms } from '#src/ledger/input/rep-terms.js';
import { Service } from '#test/support/service.js';
import { TeamExample } from './team-example.js';

describe('the cached terms of a rep', () => {
  const service = Service.duringSuite({ worker: false });
  let example: TeamExample;
  beforeEach(async () => {
    example = await TeamExample.create(service);
  });

  const ann = () => example.repIds.ann;
  const read = () =>
    service.running.service.unitOfWork.run(example, { lock: 'none', access: 'write' }, (tx) => loadRepTerms(tx, ann()));
  const byOwner = (text: string) => example.sql(text);

  it('are read once per revision of the configuration', async () => {
    const first = await read();
    const second = await read();
    expect(first.quotas).to.have.length.greaterThan(0);
    expect(second).to.deep.equal(first);
    expect(second.quotas).to.equal(first.quotas);
  });

  it('are read again after a change by any process', async () => {
    const before = await read();
    await byOwner('update quotas set target = target + 1 where workspace_id = $1');
    const after = await read();
    expect(after.quotas.map(({ target }) => target.toString())).to.deep.equal(
      before.quotas.map(({ target }) => target.plus(Decimal.of('1')).toString()),
    );
  });

  it('include new approved periods at once, since these are not configuration', async () => {
    await read();
    await byOwner(
      `insert into statement_periods (workspace_id, rep_id, period, from_day, to_day, status)
      select workspace_id, rep_id, '2026-01', '2026-01-01', '2026-01-31', 'approved' from reps where workspace_id = $1`,
    );
    expect((await read()).frozen.map(({ period }) => period)).to.deep.equal(['2026-01']);
  });

  it('have a new revision after every change, also after the restore of a database', async () => {
    const change = 'update quotas set target = target + 1 where workspace_id = $1';
    const lost = new Client({ connectionString: service.database.ownerUrl });
    await lost.connect();
    await lost.query('begin');
    await lost.query(change, [example.workspaceId]);
    const { rows } = await lost.query('select configuration_revision from workspaces where workspace_id = $1', [
      example.workspaceId,
    ]);
    await lost.query('rollback');
    await lost.end();
    await byOwner(change);
    expect((await read()).workspace.revision).not.to.equal(rows[0].configuration_revision);
  });
});
