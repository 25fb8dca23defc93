import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The currencies of payment that were entered. Each row is the state of its day since then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rep_pay_currency_history (
      workspace_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      rep_id uuid not null,
      from_day date not null,
      currency text check (currency ~ '^[A-Z]{3}$'),
      primary key (workspace_id, rep_id, from_day, position),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'rep_pay_currency_history');
  await insertOnly(db, 'rep_pay_currency_history');
  // When a currency was entered is not known. It counts since the person was entered.
  await sql`
    insert into rep_pay_currency_history (workspace_id, changed_at, rep_id, from_day, currency)
    select c.workspace_id, r.created_at, c.rep_id, c.from_day, c.currency
    from rep_pay_currencies c join reps r on r.workspace_id = c.workspace_id and r.rep_id = c.rep_id`.execute(db);
}
