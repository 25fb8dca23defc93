import { type RawBuilder, sql } from 'kysely';
import { type Phase } from '../../engine/model.js';
import { type CascadeInput } from '../../engine/trace.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { selectAsText } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** An engine-written row without its ledger id. Amounts are exact decimal texts. */
export interface CountedRow {
  readonly repId: string;
  readonly dealKey: string;
  readonly planId: string;
  readonly planVersionId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly phase: Phase;
  readonly category: 'commission' | 'bonus';
  readonly amount: string;
  readonly base: string | null;
  readonly credit: string;
  readonly tierName: string | null;
  readonly attainmentKey: string;
  readonly currency: string;
  readonly period: string;
  readonly earnedOn: Day;
  /** The share of the deal that the row counts, as the engine gives it. */
  readonly share: string | null;
  /** Of a cascade row that was calculated and not read: what it was calculated from. */
  readonly inputs?: readonly CascadeInput[];
  /** Of a row that was calculated and not read: what a cap cut off it. */
  readonly cutOff?: string;
}

const names =
  'rep_id deal_key plan_id plan_version_id rule_id rule_name phase category amount base credit tier_name attainment_key currency period earned_on share'.split(
    ' ',
  );

const columns = sql.raw(names.join(', '));

/**
 * The rows `c` that count toward attainment, quotas, ranks and cascades: earned events, with the trued-up rows of a
 * period in place of its approved ones.
 */
export function countedRows(workspaceId: string): RawBuilder<unknown> {
  return sql`(
    select ${columns} from commission_events e
    where e.workspace_id = ${workspaceId} and e.kind = 'commission_earned' and e.status = 'earned' and not exists (
      select from statement_periods s
      where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.trued_up
        and e.earned_on between s.from_day and s.to_day)
    union all
    select ${columns} from trued_up_rows where workspace_id = ${workspaceId}
  ) c`;
}

/** The same for workspaces without trued-up periods. */
export function earnedRows(workspaceId: string): RawBuilder<unknown> {
  return sql`(
    select ${columns} from commission_events
    where workspace_id = ${workspaceId} and kind = 'commission_earned' and status = 'earned'
  ) c`;
}

/** The counted rows `c` that match the condition, in no order. */
export async function loadCountedRows(tx: Transaction, condition: RawBuilder<unknown>): Promise<CountedRow[]> {
  const from = sql`${countedRows(tx.workspaceId)} where ${condition}`;
  return (await selectAsText(tx, cellColumns, from)).map(countedRow);
}

const cellColumns = names.map((name) => sql.ref(`c.${name}`));

function countedRow(cells: (string | null)[]): CountedRow {
  const [repId, dealKey, planId, planVersionId, ruleId, ruleName, phase, category, ...rest] = cells;
  const [amount, base, credit, tierName, attainmentKey, currency, period, earnedOn, share] = rest;
  return {
    repId,
    dealKey,
    planId,
    planVersionId,
    ruleId,
    ruleName,
    phase,
    category,
    amount,
    base,
    credit,
    tierName,
    attainmentKey,
    currency,
    period,
    earnedOn,
    share,
  } as CountedRow;
}

/**
 * The rows that count for an approved period: its trued-up rows if it has any, otherwise the events earned on its
 * days.
 */
export async function loadRowsOfPeriod(
  tx: Transaction,
  { repId, period }: { readonly repId: string; readonly period: string },
  { range, truedUp }: { readonly range: DayRange; readonly truedUp: boolean },
): Promise<CountedRow[]> {
  const from = truedUp
    ? sql`trued_up_rows c
        where c.workspace_id = ${tx.workspaceId} and c.rep_id = ${repId} and c.frozen_period = ${period}`
    : sql`commission_events c
        where c.workspace_id = ${tx.workspaceId} and c.rep_id = ${repId} and c.kind = 'commission_earned'
          and c.status = 'earned' and c.earned_on between ${range.from}::date and ${range.to}::date`;
  return (await selectAsText(tx, cellColumns, from)).map(countedRow);
}
