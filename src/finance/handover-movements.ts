import { sql } from 'kysely';
import { addTo } from '../kernel/add-to.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type HandedAmount, handedTo } from '../statements/handed-amounts.js';
import { type Movement, noOrigin } from './movement.js';

interface Handover {
  readonly handoverId: string;
  readonly period: string;
  readonly scope: 'full' | 'new';
  readonly day: Day;
  readonly amounts: readonly HandedAmount[];
}

/** What hand-overs to payroll have paid to the reps, in workspaces without payouts. */
export async function loadHandoverMovements(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Movement[]>> {
  const { rows } = await sql<Handover>`
    select h.handover_id as "handoverId", h.period, h.scope, ${handedTo(repIds)} as amounts,
      (h.created_at at time zone known_zone(w.timezone))::date as day
    from payroll_handovers h join workspaces w on w.workspace_id = h.workspace_id
    where h.workspace_id = ${tx.workspaceId} and h.created_at <= ${tx.until}::timestamptz
    order by h.created_at, h.handover_id`.execute(tx.db);
  return groupBy(listHandoverMovements(rows), ({ repId }) => repId);
}

/** A full file takes back what earlier ones of its period contain for the people in it. */
function listHandoverMovements(files: readonly Handover[]): (Movement & { readonly repId: string })[] {
  const handed = new Map<string, Map<string, Decimal>>();
  return files.flatMap(({ handoverId, period, scope, day, amounts }) =>
    [...groupBy(amounts, ({ repId }) => repId)].flatMap(([repId, ofRep]) => {
      const key = `${period}|${repId}`;
      const before = handed.get(key) ?? new Map<string, Decimal>();
      const now = new Map(scope === 'full' ? [] : before);
      for (const { currency, summary } of ofRep) addTo(now, currency, Decimal.of(summary.netPayout));
      handed.set(key, now);
      return [...new Set([...before.keys(), ...now.keys()])].flatMap((currency) => {
        const change = (now.get(currency) ?? Decimal.zero).minus(before.get(currency) ?? Decimal.zero);
        if (change.isZero()) return [];
        return [
          {
            repId,
            kind: 'payment' as const,
            source: `payment|${handoverId}`,
            day,
            currency,
            amount: change.negated(),
            draws: Decimal.zero,
            asset: Decimal.zero,
            origin: { ...noOrigin, period },
          },
        ];
      });
    }),
  );
}
