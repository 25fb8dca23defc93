import { type Kysely, sql } from 'kysely';

/** Which periods a month's events count in, so that nobody reads every event of a workspace for their few names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rep_months add column periods text[] not null default '{}'`.execute(db);
  await sql`
    update rep_months m set periods = e.periods
    from (
      select workspace_id, rep_id, date_trunc('month', earned_on)::date as month, currency, array_agg(distinct period) as periods
      from commission_events where status = 'earned' group by 1, 2, 3, 4
    ) e
    where m.workspace_id = e.workspace_id and m.rep_id = e.rep_id and m.month = e.month and m.currency = e.currency`.execute(
    db,
  );
}
