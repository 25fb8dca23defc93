import { sql } from 'kysely';
import { readActorNames } from '../people/reps/actor-names.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Corrections } from './corrections.js';

interface Found {
  readonly dealId: string;
  readonly dealName: string | null;
  readonly name: string;
  readonly correction: Corrections[string];
  readonly count: number;
}

interface Filter {
  readonly dealId?: string | undefined;
  /** true: only values that a source states otherwise, unless this has been dismissed; false: only others. */
  readonly conflicts?: boolean | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** One page of the corrected values of deals that are not deleted, by deal and name, with the count of all. */
export async function listCorrections(tx: Transaction, { dealId, conflicts, limit, offset }: Filter) {
  const conflict = sql`(coalesce((c.value -> 'reported' ->> 'conflicts')::boolean, false)
    and c.value -> 'reported' -> 'dismissed' is null)`;
  const { rows } = await sql<Found>`
    select d.deal_id as "dealId", d.name as "dealName", c.key as name, c.value as correction,
      (count(*) over ())::int as count
    from deals d cross join lateral jsonb_each(d.corrections) c
    where d.workspace_id = ${tx.workspaceId} and d.corrections is not null and d.deleted_at is null
      ${dealId === undefined ? sql`` : sql`and d.deal_id = ${dealId}`}
      ${conflicts === undefined ? sql`` : sql`and ${conflict} = ${conflicts}`}
    order by d.deal_id, c.key collate "C"
    limit ${limit} offset ${offset}`.execute(tx.db);
  const names = await readActorNames(
    tx,
    rows.flatMap(({ correction: { by, reported } }) => [by, ...(reported?.dismissed ? [reported.dismissed.by] : [])]),
  );
  return { found: rows, names, count: rows[0]?.count ?? 0 };
}
