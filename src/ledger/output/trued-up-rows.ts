import { sql } from 'kysely';
import { type DayRange, isWithin } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CountedRow } from '../input/counted-rows.js';
import { type RepTerms } from '../input/rep-terms.js';

/** A period of a rep. */
interface PeriodKey {
  readonly repId: string;
  readonly period: string;
}

/** A row of a true-up that replaces the approved rows of a period. */
export interface TruedUpRow extends Omit<CountedRow, 'repId' | 'cutOff'> {
  readonly frozenPeriod: string;
  readonly cutOff: string | null;
}

/** A rep's window with the deals whose trued-up rows are read wherever they are dated. */
interface DealsInWindow {
  readonly terms: RepTerms;
  readonly window: DayRange;
  readonly dealIds: readonly string[];
}

/** Loads, for each rep, the trued-up rows that are dated in the window or belong to one of the deals. */
export async function loadTruedUpRows(tx: Transaction, windows: readonly DealsInWindow[]): Promise<TruedUpRow[][]> {
  const reps = windows.map(({ terms }) => terms).filter(hasTruedUp);
  const [first] = reps;
  if (first === undefined) return windows.map(() => []);
  const { rows } = await sql<TruedUpRow & { repId: string }>`
    select t.rep_id as "repId", t.frozen_period as "frozenPeriod", t.deal_key as "dealKey", t.plan_id as "planId",
      t.plan_version_id as "planVersionId", t.rule_id as "ruleId", t.rule_name as "ruleName", t.phase, t.category,
      t.amount, t.base, t.credit, t.tier_name as "tierName", t.attainment_key as "attainmentKey", t.currency, t.period,
      t.earned_on as "earnedOn", t.share, t.cut_off as "cutOff"
    from trued_up_rows t
    where t.workspace_id = ${tx.workspaceId}
      and t.rep_id = any(${reps.map(({ repId }) => repId)}::uuid[])`.execute(tx.db);
  const byRep = groupBy(rows, (row) => row.repId);
  return windows.map(({ terms, window, dealIds }) => {
    const deals = new Set(dealIds);
    return (byRep.get(terms.repId) ?? []).filter((row) => isWithin(row.earnedOn, window) || deals.has(row.dealKey));
  });
}

export function hasTruedUp({ frozen }: RepTerms): boolean {
  return frozen.some((period) => period.truedUp);
}

/** Replaces the rows that count for the approved period. The caller holds the rep's lane. */
export async function replaceRowsOfPeriod(tx: Transaction, key: PeriodKey, rows: readonly CountedRow[]): Promise<void> {
  await deleteTruedUpRows(tx, key);
  await setTruedUp(tx, key, true);
  if (rows.length === 0) return;
  await sql`
    insert into trued_up_rows (workspace_id, rep_id, frozen_period, deal_key, plan_id, plan_version_id, rule_id, rule_name,
      phase, category, amount, base, credit, tier_name, attainment_key, currency, period, earned_on, share, inputs, cut_off)
    select ${tx.workspaceId}::uuid, ${key.repId}::uuid, ${key.period}, deal_key, plan_id, plan_version_id, rule_id,
      rule_name, phase, category, amount, base, credit, tier_name, attainment_key, currency, period, earned_on, share, inputs,
      cut_off
    from ${unnestRows(rows, [
      ['deal_key', 'text', (row) => row.dealKey],
      ['plan_id', 'uuid', (row) => row.planId],
      ['plan_version_id', 'uuid', (row) => row.planVersionId],
      ['rule_id', 'uuid', (row) => row.ruleId],
      ['rule_name', 'text', (row) => row.ruleName],
      ['phase', 'text', (row) => row.phase],
      ['category', 'text', (row) => row.category],
      ['amount', 'numeric', (row) => row.amount],
      ['base', 'numeric', (row) => row.base],
      ['credit', 'numeric', (row) => row.credit],
      ['tier_name', 'text', (row) => row.tierName],
      ['attainment_key', 'text', (row) => row.attainmentKey],
      ['currency', 'text', (row) => row.currency],
      ['period', 'text', (row) => row.period],
      ['earned_on', 'date', (row) => row.earnedOn],
      ['share', 'text', (row) => row.share],
      ['inputs', 'jsonb', ({ inputs }) => (inputs === undefined ? null : JSON.stringify(inputs))],
      ['cut_off', 'numeric', ({ cutOff = null }) => cutOff],
    ])}`.execute(tx.db);
}

/** Deletes the trued-up rows of the period, so that its approved rows count again. The caller holds the rep's lane. */
export async function restoreRowsOfPeriod(tx: Transaction, key: PeriodKey): Promise<void> {
  await deleteTruedUpRows(tx, key);
  await setTruedUp(tx, key, false);
}

async function deleteTruedUpRows(tx: Transaction, { repId, period }: PeriodKey): Promise<void> {
  await tx.db
    .deleteFrom('trued_up_rows')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('frozen_period', '=', period)
    .execute();
}

async function setTruedUp(tx: Transaction, { repId, period }: PeriodKey, truedUp: boolean): Promise<void> {
  await tx.db
    .updateTable('statement_periods')
    .set({ trued_up: truedUp })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .execute();
}
