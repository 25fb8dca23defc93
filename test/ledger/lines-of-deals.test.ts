import { expect } from 'chai';
import { getCommissions } from '#src/commissions/queries/get-commissions.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { putRefund } from '#src/deals/refunds/commands/put-refund.js';
import { type DealLine } from '#src/engine/deal-line.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { createPlan } from '#src/plans/commands/create-plan.js';
import { setPlanOverride } from '#src/plans/commands/set-plan-override.js';
import { generateStatement } from '#src/statements/commands/generate-statement.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

const clawback = { window: { days: 365 } };
const rule = {
  name: 'Products',
  measure: 'line.amount',
  lines: {},
  tiers: [{ tierIndex: 0, minThreshold: 0, table: 'PRODUCTS' }],
  clawback,
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

  it('are given back by refunds that name them, of rules with lines and without', async () => {
    await addLines('api', lines);
    const { planId } = await workspace.addPlan('Whole', [
      { name: 'Whole', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }], clawback },
    ]);
    await workspace.run(createAssignments, { body: { repIds: [repId], planId } });
    expect(await paid()).to.have.members([3_600, 5_000]);
    const refund = { day: '2026-03-10', cause: 'refund' };
    const put = (body: object) => ({
      params: { dealId: 'D', refundId: 'R' },
      query: { dryRun: 'false' },
      body: { ...refund, ...body },
    });
    await workspace.expectError('line_not_found', 404, putRefund, put({ lines: [{ lineId: '9' }] }));
    await workspace.expectError(
      'refund_exceeds_line',
      400,
      putRefund,
      put({ lines: [{ lineId: '2', amount: 15_001 }] }),
    );
    await workspace.expectError('VALIDATION_FAILED', 400, putRefund, put({ amount: 5, lines: [{ lineId: '2' }] }));
    const stored = await workspace.run(putRefund, put({ lines: [{ lineId: '2' }] }));
    expect(stored.lines).to.deep.equal([{ lineId: '2', amount: null }]);
    expect(await paid()).to.have.members([3_600, 5_000, -600, -1_500]);
  });

  it('are overridden for one person by another table', async () => {
    await addLines('api', lines);
    const [plan] = await workspace.db.sql<{ id: string; rule: string }>(
      'select plan_version_id as id, rule_id as rule from plan_rules where workspace_id = $1',
      workspace.workspaceId,
    );
    const override = (table: string) => ({
      params: { planVersionId: plan?.id, repId },
      body: { rules: [{ ruleId: plan?.rule, tiers: [{ tierIndex: 0, table }] }] },
    });
    await workspace.expectError('rate_table_not_found', 400, setPlanOverride, override('None'));
    await workspace.run(setPlanOverride, override('products'));
    expect(await paid()).to.deep.equal([3_600]);
  });

  it('have warnings where a plan reads what they lack', async () => {
    await addLines('api', [{ lineId: '1', amount: '1', fields: { Region: 'EMEA' } }]);
    const onField = (field: string) => ({ field, fieldType: 'text', operator: 'is_set' });
    const config = {
      dealConditions: [onField('lines.families')],
      rules: [{ ...rule, lines: { conditions: [onField('line.region'), onField('line.segment')] } }],
    };
    const { warnings } = await workspace.run(createPlan, { body: { name: 'W', config } });
    const codes = warnings.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`);
    expect(codes).to.include('unknown_line_field config.rules.0.lines.conditions.1.field');
    expect(codes).to.include('table_without_default config.rules.0.tiers.0.table');
    expect(codes.filter((code: string) => code.startsWith('unknown_'))).to.have.length(1);
  });
});
