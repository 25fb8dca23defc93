import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/**
 * The state of an approved period after a true-up: the rows that its dry run computed. They replace the period's
 * approved rows wherever credit and amounts are counted; the approved rows themselves stay as the statement shows them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table statement_periods
      add column trued_up boolean not null default false,
      add check (status = 'approved' or not trued_up)`.execute(db);
  await sql`create index statement_periods_trued_up on statement_periods (workspace_id, rep_id) where trued_up`.execute(
    db,
  );
  await sql`
    create table trued_up_rows (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- the approved period that owns the key, wherever the row is dated
      frozen_period text not null,
      plan_id uuid not null,
      rule_name text not null,
      deal_key text not null,
      plan_version_id uuid not null,
      rule_id uuid not null,
      phase text not null check (phase in ('per_deal', 'cascade', 'periodic')),
      category text not null check (category in ('commission', 'bonus')),
      amount numeric not null check (amount <> 'NaN'),
      base numeric,
      credit numeric not null check (credit <> 'NaN'),
      tier_name text,
      attainment_key text not null,
      currency text not null,
      period text not null,
      earned_on date not null,
      -- no two periods own one key
      primary key (workspace_id, rep_id, plan_id, rule_name, deal_key),
      foreign key (workspace_id, rep_id, frozen_period) references statement_periods
    )`.execute(db);
  await sql`create index trued_up_rows_by_deal on trued_up_rows (workspace_id, deal_key)`.execute(db);
  await sql`create index trued_up_rows_by_day on trued_up_rows (workspace_id, rep_id, earned_on)`.execute(db);
  await tenantTable(db, 'trued_up_rows');

  await sql`
    create table true_ups (
      workspace_id uuid not null,
      event_id uuid not null,
      rep_id uuid not null,
      period text not null,
      -- what it consists of, largest first; amounts are decimal texts
      lines jsonb not null,
      primary key (workspace_id, event_id),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await tenantTable(db, 'true_ups');
}
