import { expect } from 'chai';
import { createAssignments } from '#src/assignments/commands/create-assignments.js';
import { getCommissions } from '#src/commissions/queries/get-commissions.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { type DealLine } from '#src/engine/deal-line.js';
import { generateStatement } from '#src/statements/commands/generate-statement.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

const rule = {
  name: 'Products',
  measure: 'line.amount',
  lines: {},
  tiers: [{ tierIndex: 0, minThreshold: 0, table: 'PRODUCTS' }],
};
const lines: readonly DealLine[] = [
  { lineId: '1', name: 'Suite', family: 'software', amount: '30000' },
  { lineId: '2', family: 'services', amount: '15000' },
  { lineId: '3', family: 'Support', amount: '5000' },
];

describe('stored lines and rate tables', () => {
  let workspace: OfflineWorkspace;
  let repId: string;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-28T12:00:00Z' });
    [repId] = await workspace.addReps('Ada');
    const keys = JSON.stringify([{ name: 'family', field: 'line.family', match: 'exact' }]);
    const columns = JSON.stringify([{ name: 'rate', kind: 'rate' }]);
    await workspace.db.sql(
      `insert into rate_tables (workspace_id, name, keys, columns, revision) values ($1, 'Products', $2, $3, 1)`,
      workspace.workspaceId,
      keys,
      columns,
    );
    const rates = { software: 0.1, services: 0.04 };
    for (const [position, [family, rate]] of Object.entries(rates).entries())
      await workspace.db.sql(
        `insert into rate_table_rows (workspace_id, table_name, position, content) values ($1, 'Products', $2, $3)`,
        workspace.workspaceId,
        position,
        JSON.stringify({ keys: { family }, values: { rate } }),
      );
    const { planId } = await workspace.addPlan('P', [rule]);
    await workspace.run(createAssignments, { body: { repIds: [repId], planId } });
    await workspace.run(putDeal, {
      params: { dealId: 'D' },
      query: { corrections: 'keep' },
      body: { fields: {}, amount: 50_000, closeDate: '2026-02-10', repId },
    });
    await addLines('crm', [{ lineId: 'C', family: 'software', amount: '1000' }]);
  });

  const addLines = async (source: 'api' | 'crm', ofSource: readonly DealLine[]) => {
    for (const [position, line] of ofSource.entries())
      await workspace.insert.row('deal_lines', {
        deal_id: 'D',
        source,
        position,
        content: JSON.stringify(line),
      } as never);
  };
  const paid = async () => {
    await workspace.recalculate();
    const { events } = await workspace.run(getCommissions, { query: { dealId: 'D' } });
    return events.map(({ amount }: { amount: number }) => amount);
  };

  it('pay the lines of the API in place of those of the CRM (J42)', async () => {
    expect(await paid()).to.deep.equal([100]);
    await addLines('api', lines);
    expect(await paid()).to.deep.equal([3_600]);
  });

  it('are listed on statements with what each line pays', async () => {
    await addLines('api', lines);
    await paid();
    const { lineItems } = await workspace.run(generateStatement, { params: { repId }, body: { period: '2026-02' } });
    expect(lineItems[0].dealLines).to.deep.equal([
      { lineId: '1', name: 'Suite', base: 30_000, rate: 0.1, amount: 3_000 },
      { lineId: '2', name: null, base: 15_000, rate: 0.04, amount: 600 },
      { lineId: '3', name: null, base: 5_000, rate: null, amount: 0 },
    ]);
  });
});
