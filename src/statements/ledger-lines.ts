import { sql } from 'kysely';
import { loadDealsOnStatements } from '../deals/deal-names.js';
import { parseRefundKey } from '../engine/clawback.js';
import { type Phase } from '../engine/model.js';
import { decodeTrace } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { mapInSlices } from '../kernel/waiting.js';
import { eventsTable } from '../ledger/input/as-of.js';
import { loadRange } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StatementLine } from './snapshot.js';
import { type StatementKey } from './statement.js';
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

/** The rep's earned events on the days of the period. Equal ledgers give the same order. */
export async function readLedgerLines(tx: Transaction, key: StatementKey): Promise<StatementLine[]> {
  const lines = await readTeamLedgerLines(tx, key.period, [key.repId]);
  return lines.get(key.repId) ?? [];
}

/** Reads the lines of many reps in one query. */
export async function readTeamLedgerLines(
  tx: Transaction,
  period: Period,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, StatementLine[]>> {
  if (repIds.length === 0) return new Map();
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
  const listed = rows.map((row) => ({ ...row, ...dealOf(row) }));
  const findDeal = await loadDealsOnStatements(tx, listed);
  const lines = await mapInSlices(listed, (row) => ({ repId: row.repId, line: toLine(row, findDeal(row)) }));
  const byRep = groupBy(lines, ({ repId }) => repId);
  return new Map([...byRep].map(([repId, ofRep]) => [repId, ofRep.map(({ line }) => line)]));
}

/** The deal key of a periodic event holds its period. */
function dealOf({ dealKey, phase }: LedgerRow): { readonly dealId: string | null; readonly refundId: string | null } {
  const refund = dealKey === null ? null : parseRefundKey(dealKey);
  return { dealId: phase === 'periodic' ? null : (refund?.dealId ?? dealKey), refundId: refund?.refundId ?? null };
}

function toLine(
  row: LedgerRow & ReturnType<typeof dealOf>,
  deal: { readonly dealName: string | null; readonly closeDate: Day | null },
): StatementLine {
  const { repId: _rep, dealKey: _key, refundId, phase: _phase, updatedAt, trueUpLines, trueUpOf, ...same } = row;
  const isOfSale = row.kind === 'commission_earned' && refundId === null;
  return {
    ...same,
    dealName: deal.dealName,
    // The close date at the time of the calculation. The deal may have a later date now.
    closeDate: row.dealId !== null && isOfSale ? row.earnedOn : deal.closeDate,
    status: 'earned',
    ...rateAndAttainment(row),
    updatedAt: updatedAt.toISOString(),
    ...(trueUpOf === null || trueUpOf === row.period ? {} : { sourcePeriod: trueUpOf }),
    ...(refundId === null ? {} : { refundId }),
    ...(trueUpLines === null ? {} : { lines: trueUpLines }),
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
