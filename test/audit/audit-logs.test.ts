import { expect } from 'chai';
import { type RunOutcome } from '#src/audit/audit-tables.js';
import { listAuditLogs } from '#src/audit/queries/list-audit-logs.js';
import { newId } from '#src/kernel/ids.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { workedTiers } from '#test/support/worked-example.js';

describe('audit log', () => {
  let workspace: OfflineWorkspace;

  const read = (query: Record<string, string> = {}) => workspace.run(listAuditLogs, { query });

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
  });

  async function run(
    minute: number,
    more: { actor?: string; dealId?: string; deals?: string[]; outcome?: RunOutcome } = {},
  ): Promise<string> {
    const runId = newId();
    await workspace.insert.row('audit_runs', {
      run_id: runId,
      actor: more.actor ?? 'orchestrator',
      trigger: 'deal_change',
      scope: 'rep',
      deal_id: more.dealId ?? null,
      outcome: more.outcome ?? 'no_change',
      started_at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
    });
    for (const dealId of more.deals ?? [])
      await workspace.insert.row('audit_run_deals', { deal_id: dealId, run_id: runId });
    return runId;
  }

  it('returns the outcome and counters of an engine run', async () => {
    const ada = await workspace.insert.rep('Ada');
    const plan = await workspace.insert.plan('AE', {
      rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }],
    });
    await workspace.insert.assignment(ada, plan);
    await workspace.insert.deal('D1', ada);
    await workspace.insert.deal('D2', ada, { closeDate: '2026-01-10' });
    await workspace.insert.statement(ada, '2026-01', 'approved');
    await workspace.recalculate();
    const [version] = await workspace.db.sql('select plan_version_id from plan_versions where plan_id = $1', plan);
    const { runs, ...page } = await read();
    expect(page).to.deep.equal({ count: 1, limit: 100, offset: 0 });
    const { runId, blocked, ...rest } = runs[0];
    expect(runId).to.match(/^[0-9a-f-]{36}$/);
    expect(blocked).to.deep.include({ statementLocked: true, periods: ['2026-01'] });
    expect(rest).to.deep.equal({
      actor: 'orchestrator',
      trigger: 'recalculation',
      scope: 'rep',
      repId: ada,
      outcome: 'statement_locked',
      counters: { eventsWritten: 1, eventsReversed: 0, statementLocked: true, skipped: 1 },
      startedAt: '2026-03-20T12:00:00.000Z',
      durationMs: 0,
      details: { planVersionIds: [version?.['plan_version_id']] },
    });
  });

  it('pages newest first and counts all matches', async () => {
    const ids = [await run(1), await run(2), await run(3)];
    const page = await read({ limit: '2', offset: '1' });
    expect(page.runs.map((one: { runId: string }) => one.runId)).to.deep.equal([ids[1], ids[0]]);
    expect(page).to.include({ count: 3, limit: 2, offset: 1 });
    expect(await read({ offset: '9' })).to.deep.equal({ runs: [], count: 3, limit: 100, offset: 9 });
  });

  it('filters runs by outcome and time', async () => {
    const [first, second, third] = [await run(1), await run(2, { outcome: 'failed' }), await run(3)];
    const idsOf = async (query: Record<string, string>) =>
      (await read(query)).runs.map((found: { runId: string }) => found.runId);
    expect(await idsOf({ outcome: 'failed' })).to.deep.equal([second]);
    expect(await idsOf({ outcome: 'failed,no_change' })).to.deep.equal([third, second, first]);
    expect(await idsOf({ from: '2026-01-01T00:02:00Z' })).to.deep.equal([third, second]);
    expect(await idsOf({ from: '2026-01-01T00:02:00Z', to: '2026-01-01T00:03:00Z' })).to.deep.equal([second]);
    await workspace.expectError('VALIDATION_FAILED', 400, listAuditLogs, { query: { outcome: 'failed,other' } });
  });

  it('filters runs by actor, and by deal including runs that only affected it', async () => {
    const person = await run(1, { actor: 'api-key', dealId: 'D1' });
    const several = await run(2, { deals: ['D1', 'D2'] });
    const one = await run(3, { dealId: 'D2', deals: ['D2'] });
    const idsOf = async (query: Record<string, string>) =>
      (await read(query)).runs.map((found: { runId: string }) => found.runId);
    expect(await idsOf({ actor: 'api-key' })).to.deep.equal([person]);
    expect(await idsOf({ dealId: 'D1' })).to.deep.equal([several, person]);
    expect(await idsOf({ dealId: 'D2' })).to.deep.equal([one, several]);
    expect(await idsOf({ dealId: 'D1', actor: 'orchestrator' })).to.deep.equal([several]);
    expect(await idsOf({ dealId: 'D3' })).to.deep.equal([]);
  });

  it('rejects invalid pages', async () => {
    for (const query of [{ limit: '0' }, { limit: '501' }, { limit: 'x' }, { offset: '-1' }, { page: '2' }]) {
      await workspace.expectError('VALIDATION_FAILED', 400, listAuditLogs, { query });
    }
  });
});
