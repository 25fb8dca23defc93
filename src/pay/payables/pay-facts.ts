import { type SqlBool, sql } from 'kysely';
import { toFact } from '../../deals/refunds/refund.js';
import { listRefunds } from '../../deals/refunds/refund-views.js';
import { resolveLineRefunds } from '../../deals/refunds/refunded-lines.js';
import { type Refund } from '../../engine/clawback.js';
import { type Fields } from '../../engine/field-value.js';
import { type PayoutTerms } from '../../engine/plan-config.js';
import { type Deal, type SlugMapping } from '../../engine/slug.js';
import { type Day } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { inParallel } from '../../kernel/waiting.js';
import { canonicalFieldMapping } from '../../ledger/input/field-mapping.js';
import { loadWorkspaceTerms, type StoredVersion, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Invoice } from '../invoices/invoice.js';
import { listInvoices } from '../invoices/invoice-views.js';
import { type HoldTerms, loadHoldTerms } from './hold-views.js';
import { loadPayableRows, type PayableRow } from './payable-rows.js';

/** What the rules of the rows say about the payout, by rule id. */
export interface RuleTerms {
  readonly payout: PayoutTerms | undefined;
  readonly mapping: SlugMapping;
}

export interface PaidDeal extends Deal {
  readonly amount: string | null;
  readonly currency: string | null;
}

/** Everything that decides when rows are paid, as plain data. */
export interface PayFacts {
  readonly workspace: WorkspaceTerms;
  readonly rules: ReadonlyMap<string, RuleTerms>;
  readonly deals: ReadonlyMap<string, PaidDeal>;
  readonly invoices: ReadonlyMap<string, readonly Invoice[]>;
  /** The amounts of deals of approved rows, by rep, period and deal. */
  readonly amounts: ReadonlyMap<string, string | null>;
  readonly refunds: ReadonlyMap<string, readonly Refund[]>;
  readonly holds: readonly HoldTerms[];
  /** The rows of deals that cascade rows follow, by rep, rule and deal. */
  readonly inputs: ReadonlyMap<string, readonly PayableRow[]>;
}

/** What a calculation assumes in place of stored rows. */
export interface AssumedRows {
  /** The rows that the assumption leaves of the stored ones, with those of its own that are selected. */
  replace(stored: readonly PayableRow[], isSelected: (row: PayableRow) => boolean): readonly PayableRow[];
  /** The terms of the rules of its own rows. */
  readonly rules: ReadonlyMap<string, RuleTerms>;
}

/** The terms of all rules of a version, by rule id. */
export function listRuleTerms({ rules, fieldMapping: mapping }: StoredVersion): (readonly [string, RuleTerms])[] {
  return rules.map(({ id, payout }) => [id, { payout, mapping }] as const);
}

const asStored: AssumedRows = { replace: (stored) => stored, rules: new Map() };

export async function loadPayFacts(
  tx: Transaction,
  rows: readonly PayableRow[],
  assumed: AssumedRows = asStored,
): Promise<PayFacts> {
  const inputs = await loadInputs(tx, rows, assumed);
  const all = [...rows, ...inputs];
  const [workspace, rules, holds] = await inParallel(
    () => loadWorkspaceTerms(tx),
    () => loadRules(tx, all, assumed),
    () => loadHoldTerms(tx),
  );
  const needsDeal = ({ ruleId }: PayableRow) => {
    const payout = rules.get(ruleId ?? '')?.payout;
    return payout !== undefined && 'schedule' in payout;
  };
  // A deal of a negative amount is paid at once, whatever its schedule says.
  const isScheduled = ({ ruleId }: PayableRow) => rules.get(ruleId ?? '')?.payout !== undefined;
  const dealKeys = [...new Set(all.filter(isScheduled).flatMap(({ dealKey }) => dealKey ?? []))];
  const paidKeys = [...new Set(all.filter(needsDeal).flatMap(({ dealKey }) => dealKey ?? []))];
  const [deals, invoices, amounts, refunds] = await inParallel(
    () => loadDeals(tx, dealKeys, [...rules.values()].some(readsFields)),
    () => listInvoices(tx, paidKeys),
    () => loadFrozenAmounts(tx, dealKeys),
    () => listRefunds(tx, paidKeys),
  );
  return {
    workspace,
    rules,
    deals,
    invoices: groupBy(invoices, ({ dealId }) => dealId),
    refunds: await resolveLineRefunds(
      tx,
      new Map([...groupBy(refunds, ({ dealId }) => dealId)].map(([dealId, ofDeal]) => [dealId, ofDeal.map(toFact)])),
      workspace,
    ),
    amounts,
    holds,
    inputs: groupInputs(inputs),
  };
}

/** The rows of everyone on the deals whose cascade rows follow them. */
async function loadInputs(
  tx: Transaction,
  rows: readonly PayableRow[],
  assumed: AssumedRows,
): Promise<readonly PayableRow[]> {
  const dealKeys = new Set(rows.filter(({ phase }) => phase === 'cascade').flatMap(({ dealKey }) => dealKey ?? []));
  if (dealKeys.size === 0) return [];
  const stored = await loadPayableRows(tx, { dealKeys: [...dealKeys] });
  return assumed.replace(stored, ({ dealKey }) => dealKey !== null && dealKeys.has(dealKey));
}

async function loadRules(
  tx: Transaction,
  rows: readonly PayableRow[],
  assumed: AssumedRows,
): Promise<ReadonlyMap<string, RuleTerms>> {
  const ruleIds = [...new Set(rows.flatMap(({ ruleId }) => ruleId ?? []))].filter((id) => !assumed.rules.has(id));
  if (ruleIds.length === 0) return assumed.rules;
  const found = await tx.db
    .selectFrom('plan_rules as r')
    .innerJoin('plan_versions as v', (join) =>
      join.onRef('v.workspace_id', '=', 'r.workspace_id').onRef('v.plan_version_id', '=', 'r.plan_version_id'),
    )
    .select(['r.rule_id', 'v.field_mapping'])
    .select(sql<PayoutTerms>`r.definition -> 'payout'`.as('payout'))
    .where('r.workspace_id', '=', tx.workspaceId)
    .where(sql<SqlBool>`r.rule_id = any(${ruleIds}::uuid[])`)
    .where(sql<SqlBool>`r.definition ? 'payout'`)
    .execute();
  const stored = found.map(
    (rule) => [rule.rule_id, { payout: rule.payout, mapping: canonicalFieldMapping(rule.field_mapping) }] as const,
  );
  return new Map([...stored, ...assumed.rules]);
}

/** Whether a part of the event waits for a date of the deal. */
function readsFields({ payout }: RuleTerms): boolean {
  if (payout === undefined || 'parts' in payout) return false;
  return payout.schedule.some(({ on }) => on !== 'close' && on !== 'paid' && on !== 'paid_in_full');
}

/** Deleted deals too: their approved rows stay. */
async function loadDeals(
  tx: Transaction,
  dealKeys: readonly string[],
  withFields: boolean,
): Promise<ReadonlyMap<string, PaidDeal>> {
  if (dealKeys.length === 0) return new Map();
  const { rows } = await sql<{
    dealId: string;
    amount: string | null;
    currency: string | null;
    closeDate: Day | null;
    createdDate: Day | null;
    fields: Fields;
  }>`
    select deal_id as "dealId", amount::text as amount, currency, close_date as "closeDate",
      created_date as "createdDate", ${withFields ? sql`fields` : sql`'{}'::jsonb`} as fields
    from deals where workspace_id = ${tx.workspaceId} and deal_id = any(${dealKeys}::text[])`.execute(tx.db);
  return new Map(
    rows.map(({ dealId, amount, currency, closeDate, createdDate, fields }) => [
      dealId,
      { dealId, closeDate: closeDate ?? '', amount, currency, fields, standard: { closeDate, createdDate } },
    ]),
  );
}

export async function loadFrozenAmounts(
  tx: Transaction,
  dealKeys: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (dealKeys.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; period: string; dealKey: string; amount: string | null }>`
    select rep_id as "repId", period, deal_key as "dealKey", amount::text as amount from frozen_deal_amounts
    where workspace_id = ${tx.workspaceId} and deal_key = any(${dealKeys}::text[])`.execute(tx.db);
  return new Map(rows.map(({ repId, period, dealKey, amount }) => [frozenKey(repId, period, dealKey), amount]));
}

export function frozenKey(repId: string, period: string, dealKey: string): string {
  return `${repId}|${period}|${dealKey}`;
}

export function inputKey({ repId, ruleName, dealKey }: Pick<PayableRow, 'repId' | 'ruleName' | 'dealKey'>): string {
  return `${repId}|${ruleName}|${dealKey}`;
}

/** The rows by what inputs say of them, in the order of their plans. A later row replaces an earlier one of its key. */
export function groupInputs(rows: Iterable<PayableRow>): PayFacts['inputs'] {
  const latest = new Map([...rows].map((row) => [`${row.repId}|${row.key}`, row]));
  const ordered = [...latest.values()].sort((a, b) => ((a.planId ?? '') < (b.planId ?? '') ? -1 : 1));
  return groupBy(ordered, inputKey);
}
