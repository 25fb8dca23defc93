import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Period } from '../kernel/period.js';
import { eventsTable } from '../ledger/input/as-of.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TrueUpLine, toTrueUpLineResponse, trueUpLine } from './true-up-line.js';

/** The part of a true-up, or of a difference that was carried forward, that one rule on one deal adds. */
export const correction = z
  .object({
    eventId: fields.eventId.describe('Id of the event that pays the correction (UUID), which can pay others too'),
    repId: fields.repId,
    repName: fields.repName,
    planId: fields.planId,
    ruleName: fields.ruleName,
    period: fields.period.describe('The approved period that is corrected'),
    paidIn: fields.period.describe(
      'Period whose statement pays the correction: the same for a true-up, a later one if it was carried forward',
    ),
    approved: z.number().describe('Amount that the period had paid before'),
    live: z.number().describe('Amount that the period pays with the correction'),
    delta: z.number().describe('live - approved: what was paid in addition, negative if money is taken back'),
    currency: fields.currency,
    at: z.string().describe('When it was paid, instant in ISO 8601'),
  })
  .describe('What a true-up or a carried-forward difference paid for the deal');
export type Correction = z.input<typeof correction>;

/** A correction with its deal. Amounts are exact decimal text. */
export interface CorrectionRow
  extends Omit<Correction, 'approved' | 'live' | 'delta' | 'at' | 'repName' | 'period' | 'paidIn'> {
  readonly dealId: string;
  readonly repName: string | null;
  readonly period: Period;
  readonly paidIn: Period;
  readonly approved: string;
  readonly live: string;
  readonly delta: string;
  readonly at: Date;
}

/** Selects deals and the people whose amounts are shown; null selects everyone. */
export interface DealSelection {
  readonly dealIds: readonly string[];
  readonly repIds: readonly string[] | null;
}

/** The lines of true-ups about the deals that count, oldest first. In a transaction with `asOf`, those of that instant. */
export async function listCorrections(tx: Transaction, { dealIds, repIds }: DealSelection): Promise<CorrectionRow[]> {
  if (dealIds.length === 0) return [];
  const { rows } = await sql<CorrectionRow>`
    select e.event_id as "eventId", e.rep_id as "repId", r.name as "repName", l.line ->> 'dealId' as "dealId",
      l.line ->> 'planId' as "planId", l.line ->> 'ruleName' as "ruleName", t.period, e.period as "paidIn",
      l.line ->> 'approved' as approved, l.line ->> 'live' as live, l.line ->> 'delta' as delta, e.currency,
      e.updated_at as at
    from true_ups t
    join ${eventsTable(tx)} e on e.workspace_id = t.workspace_id and e.rep_id = t.rep_id
      and e.event_id = t.event_id and e.status = 'earned'
    ${joinLinesOfDeals(sql.ref('t.lines'), dealIds)}
    left join reps r on r.workspace_id = t.workspace_id and r.rep_id = t.rep_id
    where t.workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and t.rep_id = any(${repIds}::uuid[])`}
    order by e.updated_at, t.period, l.line ->> 'ruleName', e.event_id`.execute(tx.db);
  return rows;
}

/** The lines of a true-up or discrepancy about the deals, as `l.line`. */
export function joinLinesOfDeals(lines: RawBuilder<unknown>, dealIds: readonly string[]): RawBuilder<unknown> {
  return sql`cross join lateral jsonb_array_elements(${lines}) l (line)
    join unnest(${dealIds}::text[]) wanted (deal_id) on wanted.deal_id = l.line ->> 'dealId'`;
}

export function toCorrectionResponse({
  dealId: _,
  approved,
  live,
  delta,
  at,
  repName,
  ...same
}: CorrectionRow): Correction {
  return {
    ...same,
    repName: repName ?? '',
    approved: Number(approved),
    live: Number(live),
    delta: Number(delta),
    at: at.toISOString(),
  };
}

/** What a true-up event pays: the approved period that it corrects, and the differences by deal and rule. */
export const eventTrueUp = z
  .object({
    period: fields.period.describe('The approved period that is corrected'),
    paidIn: fields.period.describe('Period whose statement pays it'),
    lines: z.array(trueUpLine).describe('The differences by deal and rule, largest first'),
  })
  .describe('What a true-up pays');

/** Null for an event that is no true-up. */
export async function findTrueUpByEvent(
  tx: Transaction,
  eventId: string,
  { period: paidIn, currency }: { readonly period: Period; readonly currency: string },
): Promise<z.input<typeof eventTrueUp> | null> {
  const row = await tx.db
    .selectFrom('true_ups')
    .select(['period', 'lines'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('event_id', '=', eventId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const lines = row.lines as readonly TrueUpLine[];
  return { period: row.period, paidIn, lines: lines.map((line) => toTrueUpLineResponse(line, currency)) };
}
