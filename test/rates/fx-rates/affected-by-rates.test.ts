import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const people = 2000;

describe('a corrected exchange rate in a workspace of 2,000 people', () => {
  // Without workers, so that requests stay visible.
  const service = Service.duringSuite({ worker: false });
  let workspace: Workspace;
  let euroOwners: readonly string[];

  /** Everyone has one deal on January 20, in dollars; ten people have others, in euros and pounds. */
  before(async () => {
    workspace = await service.workspace({ currency: 'USD' });
    const { api, workspaceId } = workspace;
    const { planId } = await api.createPlan({
      name: 'AE',
      config: { rules: [flatRule('Deals', 0.1)] },
      fx: { date: 'close_date' },
    });
    await service.sql(
      `insert into reps (workspace_id, rep_id, email, name, role)
       select $1::uuid, gen_random_uuid(), 'p' || n || '@acme.test', 'P' || n, 'rep' from generate_series(1, ${people}) n`,
      workspaceId,
    );
    await service.sql(
      `insert into lanes (workspace_id, rep_id) select workspace_id, rep_id from reps where workspace_id = $1
       on conflict do nothing`,
      workspaceId,
    );
    await service.sql(
      `insert into assignments (workspace_id, assignment_id, rep_id, plan_id)
       select workspace_id, gen_random_uuid(), rep_id, $2::uuid from reps where workspace_id = $1 and email like 'p%'`,
      workspaceId,
      planId,
    );
    await service.sql(
      `insert into deals (workspace_id, deal_id, rep_id, provider, fields, amount, currency, close_date, content_hash)
       select workspace_id, name, rep_id, 'api', '{"amount": 1000}', 1000, 'USD', '2026-01-20', gen_random_uuid()
       from reps where workspace_id = $1 and email like 'p%'`,
      workspaceId,
    );
    const foreign = [
      ['EUR', '2026-01-20'],
      ['EUR', '2026-02-04'],
      ['EUR', '2026-02-05'],
      ['EUR', '2026-01-09'],
      ['GBP', '2026-01-20'],
    ] as const;
    for (const [index, [currency, day]] of foreign.entries())
      await service.sql(
        `insert into deals (workspace_id, deal_id, rep_id, provider, fields, amount, currency, close_date, content_hash)
         select workspace_id, $2 || name, rep_id, 'api', '{"amount": 1000}', 1000, $3, $4::date, gen_random_uuid()
         from reps where workspace_id = $1 and email in ('p${index * 2 + 1}@acme.test', 'p${index * 2 + 2}@acme.test')`,
        workspaceId,
        `${currency}-${day}-`,
        currency,
        day,
      );
    for (const [from, day] of [
      ['EUR', '2026-01-10'],
      ['EUR', '2026-02-05'],
      ['GBP', '2026-01-01'],
    ] as const)
      await enter(from, day, 1.1);
    await service.sql('delete from calculation_requests where workspace_id = $1', workspaceId);
    const rows = await service.sql<{ rep_id: string }>(
      `select rep_id from deals where workspace_id = $1 and currency = 'EUR' and close_date in ('2026-01-20', '2026-02-04')
       order by 1`,
      workspaceId,
    );
    euroOwners = rows.map(({ rep_id: repId }) => repId);
  });

  const enter = (from: string, day: string, rate: number) =>
    workspace.api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from, to: 'USD', day, rate }] });

  it('requests the people with a deal in its currency until the next rate, and the days of these deals', async () => {
    const { affected } = await enter('EUR', '2026-01-10', 1.2);
    expect(affected).to.deep.equal({ reps: 4, events: 4 });
    const requests = await service.sql<{ rep_id: string; from_day: string; to_day: string; trigger: string }>(
      `select rep_id, from_day::text, to_day::text, trigger from calculation_requests where workspace_id = $1 order by rep_id`,
      workspace.workspaceId,
    );
    expect(requests.map((request) => request.rep_id)).to.deep.equal([...euroOwners]);
    expect(new Set(requests.map(({ from_day, to_day, trigger }) => `${from_day} ${to_day} ${trigger}`))).to.deep.equal(
      new Set(['2026-01-20 2026-01-20 fx_rate', '2026-02-04 2026-02-04 fx_rate']),
    );
  });

  it('requests no rep for a rate that converts no deal', async () => {
    await service.sql('delete from calculation_requests where workspace_id = $1', workspace.workspaceId);
    const { rates } = { rates: [{ from: 'USD', to: 'EUR', day: '2026-01-10', rate: 0.9 }] };
    const opposite = await workspace.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    expect(opposite, 'the direct rate wins').to.deep.include({ affected: { reps: 0, events: 0 }, jobId: null });
    const same = await enter('EUR', '2026-01-10', 1.2);
    expect(same).to.deep.include({ changed: 0, affected: { reps: 0, events: 0 }, jobId: null });
    const rows = await service.sql('select from calculation_requests where workspace_id = $1', workspace.workspaceId);
    expect(rows).to.have.lengthOf(0);
  });
});
