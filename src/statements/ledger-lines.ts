import { sql } from 'kysely';
import { parseRefundKey } from '../engine/clawback.js';
import { type Phase } from '../engine/model.js';
import { decodeTrace } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { eventsTable } from '../ledger/input/as-of.js';
import { loadRange } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StatementLine } from './snapshot.js';
import { type TrueUpLine } from './true-up-line.js';

interface LedgerRow
  extends Omit<
    StatementLine,
    | 'dealId'
    | 'dealName'
    | 'closeDate'
    | 'refundId'
    | 'status'
    | 'rate'
    | 'attainment'
    | 'updatedAt'
    | 'lines'
    | 'sourcePeriod'
  > {
  readonly repId: string;
  readonly dealKey: string | null;
  readonly phase: Phase | null;
  readonly trace: string | null;
  readonly actor: string | null;
  readonly updatedAt: Date;
  readonly trueUpLines: readonly TrueUpLine[] | null;
  readonly trueUpOf: string | null;
}

/** An earned event, before the names of its deal are read. */
export interface UnnamedLine {
  readonly repId: string;
  readonly dealId: string | null;
  readonly refundId: string | null;
  readonly row: LedgerRow;
}

/** The earned events of the reps on the days of the period. Equal ledgers give the same order. */
export async function readLedgerLines(
  tx: Transaction,
  period: Period,
  repIds: readonly string[],
): Promise<UnnamedLine[]> {
  const { from, to } = await loadRange(tx, period);
  const { rows } = await sql<LedgerRow>`
    select e.rep_id as "repId", e.event_id as "eventId", e.deal_key as "dealKey", e.plan_id as "planId", p.name as "planName", v.version as "planVersion", e.rule_id as "ruleId",
      e.rule_name as "ruleName", e.phase, e.kind, e.category, e.amount, e.base, e.tier_name as "tierName", e.credit,
      e.currency, e.period, e.earned_on as "earnedOn", e.reason, e.trace, e.actor,
      e.updated_at as "updatedAt", t.lines as "trueUpLines", t.period as "trueUpOf"
    from ${eventsTable(tx)} e
    left join plans p on p.workspace_id = e.workspace_id and p.plan_id = e.plan_id
    left join plan_versions v on v.workspace_id = e.workspace_id and v.plan_version_id = e.plan_version_id
    left join true_ups t on t.workspace_id = e.workspace_id and t.event_id = e.event_id
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = any(${repIds}::uuid[]) and e.status = 'earned'
      and e.earned_on between ${from}::date and ${to}::date
    order by e.earned_on, e.deal_key collate "C" nulls last, e.rule_name collate "C", e.event_id`.execute(tx.db);
  return rows.map((row) => {
    const refund = row.dealKey === null ? null : parseRefundKey(row.dealKey);
    // The deal key of a periodic event holds its period.
    const dealId = row.phase === 'periodic' ? null : (refund?.dealId ?? row.dealKey);
    return { repId: row.repId, dealId, refundId: refund?.refundId ?? null, row };
  });
}

/** Field by field: to copy the rest of a row of this size takes 9 µs, a hundred times as long. */
export function toLine(
  { row, dealId, refundId }: UnnamedLine,
  { dealName, closeDate }: { readonly dealName: string | null; readonly closeDate: Day | null },
): StatementLine {
  const isOfSale = row.kind === 'commission_earned' && refundId === null;
  const { rate, attainment } = rateAndAttainment(row);
  return {
    eventId: row.eventId,
    planId: row.planId,
    planName: row.planName,
    planVersion: row.planVersion,
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    kind: row.kind,
    category: row.category,
    amount: row.amount,
    base: row.base,
    tierName: row.tierName,
    credit: row.credit,
    currency: row.currency,
    period: row.period,
    earnedOn: row.earnedOn,
    reason: row.reason,
    trace: row.trace,
    actor: row.actor,
    dealId,
    dealName,
    // The close date at the time of the calculation. The deal may have a later date now.
    closeDate: dealId !== null && isOfSale ? row.earnedOn : closeDate,
    status: 'earned',
    rate,
    attainment,
    updatedAt: row.updatedAt.toISOString(),
    ...(row.trueUpOf === null || row.trueUpOf === row.period ? {} : { sourcePeriod: row.trueUpOf }),
    ...(refundId === null ? {} : { refundId }),
    ...(row.trueUpLines === null ? {} : { lines: row.trueUpLines }),
  };
}

/** The rate if all parts were paid at one rate, and the attainment after the deal if there is a quota. */
function rateAndAttainment(row: LedgerRow): Pick<StatementLine, 'rate' | 'attainment'> {
  if (row.trace === null) return { rate: null, attainment: null };
  const context = { conditions: [], day: row.earnedOn, timeZone: 'UTC', tierName: row.tierName, amount: 0 };
  const { parts, target, attainmentAfter } = decodeTrace(row.trace, context);
  const rates = new Set(parts.map((part) => part.rate));
  const [rate = null] = rates;
  return {
    rate: rates.size === 1 && rate !== null ? String(rate) : null,
    attainment: target === null ? null : String(attainmentAfter),
  };
}
