import { type Kysely, sql } from 'kysely';

/**
 * The engine pays at most 10^15 for one event, so a million events sum up to 10^21: 22 digits and the 4 decimals of the
 * finest currency. A wider type with the same scale changes the catalogue and rewrites no row.
 *
 * An amount of exactly 10^15 is a valid amount. Deals that are lost under another word than "lost" are closed; those that
 * were stored before as open are corrected here, because an unchanged deal is not stored again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table commission_events alter column amount type numeric(30, 4)`.execute(db);
  await sql`alter table commission_event_history alter column amount type numeric(30, 4)`.execute(db);
  await sql`
    alter table rep_months
      alter column commission type numeric(30, 4),
      alter column bonus type numeric(30, 4),
      alter column adjustments type numeric(30, 4)`.execute(db);
  await sql`alter table statement_periods alter column approved_total type numeric(30, 4)`.execute(db);

  await sql`
    alter table deals
      drop constraint deals_amount_check,
      add constraint deals_amount_check check (amount <> 'NaN' and abs(amount) <= 1e15)`.execute(db);
  await sql`
    update deals set is_closed = true
    where not is_closed and translate(stage, '_-', '  ') ~* ${closedStage}`.execute(db);
}

const closedStage =
  '^closed|\\m(churned|cancell?ed|abandoned|disqualified|declined|rejected|withdrawn|dropped|expired|dead|no decision|no sale|not interested)\\M';
