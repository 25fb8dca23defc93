import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { within } from '../../earnings/commission-views.js';
import { type DayRange } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

export const bookings = z
  .array(
    z
      .object({
        currency: fields.currency,
        bookings: z
          .number()
          .describe(
            'Amounts of the deals that earned commission for people who still have a part of them, each deal once',
          ),
        credited: z.number().describe('The same amounts times the share of each person, overlays in addition'),
        deals: z.int().describe('Number of these deals'),
      })
      .describe('The deals of one currency'),
  )
  .describe('What was sold and what is credited, by currency; absent in workspaces without shared deals');
export type Bookings = z.input<typeof bookings>;

interface CreditedDeal {
  readonly repId: string;
  readonly dealId: string;
  readonly currency: string;
  readonly amount: string;
  /** The largest share under a rule, of which 1 is the whole deal. */
  readonly share: string;
}

/**
 * The bookings of all people together and of each; null if no deal is shared, so that nothing is read. A deal that moved
 * away after an approval is not among those of its earlier owner, to whom its present amount is not shown.
 */
export async function loadBookings(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[] | null,
): Promise<{ readonly total: Bookings; readonly byRep: ReadonlyMap<string, Bookings> } | null> {
  const { rows: shared } = await sql<{ found: boolean }>`
    select exists (select from deal_participations where workspace_id = ${tx.workspaceId}) as found`.execute(tx.db);
  if (shared[0]?.found !== true) return null;
  const { rows } = await sql<CreditedDeal>`
    select e.rep_id as "repId", e.deal_key as "dealId", coalesce(d.currency, w.currency) as currency,
      d.amount::text as amount, max(coalesce(split_part(e.share, ' ', 1)::numeric, 1))::text as share
    from commission_events e
    join workspaces w on w.workspace_id = e.workspace_id
    join deals d on d.workspace_id = e.workspace_id and d.deal_id = e.deal_key and d.amount is not null
    where e.workspace_id = ${tx.workspaceId} and e.kind = 'commission_earned' and e.status = 'earned'
      and (d.rep_id = e.rep_id or exists (select from deal_participations p
        where p.workspace_id = e.workspace_id and p.deal_id = e.deal_key and p.rep_id = e.rep_id))
      and e.phase = 'per_deal' and e.earned_on between ${from}::date and ${to}::date ${within('e.rep_id', repIds)}
    group by e.rep_id, e.deal_key, d.currency, w.currency, d.amount`.execute(tx.db);
  const byRep = new Map<string, CreditedDeal[]>();
  for (const row of rows) getOrInsert(byRep, row.repId, () => []).push(row);
  return {
    total: sumBookings(rows),
    byRep: new Map([...byRep].map(([repId, ofRep]) => [repId, sumBookings(ofRep)])),
  };
}

/** Deals of other currencies are never added to a sum. */
function sumBookings(rows: readonly CreditedDeal[]): Bookings {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const credited = rows.filter((row) => row.currency === currency);
    const amounts = new Map(credited.map(({ dealId, amount }) => [dealId, Decimal.of(amount)]));
    return {
      currency,
      bookings: sum([...amounts.values()]).toNumber(),
      credited: sum(credited.map(({ amount, share }) => Decimal.of(amount).times(Decimal.of(share)))).toNumber(),
      deals: amounts.size,
    };
  });
}
