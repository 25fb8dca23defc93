import { expect } from 'chai';
import { byKey, comparableRows, engineLedger } from '#test/support/engine-world.js';
import { cleanLedger } from '#test/support/oracle/clean-ledger.js';
import type { LedgerRow, World, WorldDeal, WorldPlanVersion, WorldQuota } from '#test/support/oracle/world.js';
import { workedTiers } from '#test/support/worked-example.js';

export { workedTiers as TIERS };

export function rule(values: object = {}): object {
  return { name: 'New', measure: 'amount', tiers: workedTiers, ...values };
}

export function version(config: object, values: Partial<WorldPlanVersion> = {}): WorldPlanVersion {
  return {
    planVersionId: 'p-v1',
    version: 1,
    supersedes: null,
    status: 'active',
    hasBeenActive: true,
    effectiveStart: null,
    effectiveEnd: null,
    currency: null,
    fieldMapping: null,
    config,
    overrides: [],
    ...values,
  };
}

export function deal(
  dealId: string,
  closeDate: string | null,
  fields: WorldDeal['fields'] | number,
  repId = 'r',
): WorldDeal {
  return { dealId, repId, closeDate, fields: typeof fields === 'number' ? { amount: fields } : fields };
}

export function quota(values: Partial<WorldQuota> = {}): WorldQuota {
  return {
    repId: 'r',
    planId: 'p',
    key: 'New',
    period: '2026-Q1',
    target: 100000,
    variableTarget: null,
    ...values,
  };
}

export function world(rules: object[], values: Partial<World> = {}): World {
  return {
    asOf: '2026-03-31',
    workspace: { currency: 'USD', timeZone: 'UTC', standard: {}, measures: {} },
    reps: [{ repId: 'r', lines: [] }],
    plans: [{ planId: 'p', status: 'active', versions: [version({ rules })] }],
    assignments: [{ repId: 'r', planId: 'p', effectiveStart: null, effectiveEnd: null }],
    quotas: [quota()],
    deals: [],
    frozen: [],
    storedRows: [],
    ...values,
  };
}

/** The rows of the oracle, which must be those of the engine. */
export function ledgerOf(of: World): LedgerRow[] {
  const rows = cleanLedger(of);
  expect(comparableRows(engineLedger(of)), 'the rows of the engine').to.deep.equal(
    comparableRows(rows.toSorted(byKey)),
  );
  return rows;
}

export function amounts(of: World): Record<string, string> {
  return Object.fromEntries(ledgerOf(of).map((row) => [row.dealId, row.amount]));
}

export function amountsOf(of: World, ruleName: string, repId = 'r'): Record<string, string> {
  const rows = ledgerOf(of).filter((row) => row.ruleName === ruleName && row.repId === repId);
  return Object.fromEntries(rows.map((row) => [row.dealId, row.amount]));
}

export const EXAMPLE = [
  deal('D1', '2026-01-15', 60000),
  deal('D2', '2026-02-10', 60000),
  deal('D3', '2026-03-05', 30000),
];
export const CORRECTED = [deal('D1', '2026-01-15', 20000), ...EXAMPLE.slice(1)];
