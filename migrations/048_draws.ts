import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Guarantees and advances of people, and what was forgiven of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table draws (
      workspace_id uuid not null,
      draw_id uuid not null,
      rep_id uuid not null,
      kind text not null check (kind in ('guarantee', 'advance')),
      recoverable boolean not null,
      amount numeric not null check (amount > 0),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      from_day date not null,
      to_day date,
      recovery_start text not null check (recovery_start in ('next_period', 'after_end', 'day')),
      recovery_day date,
      recovery_percent numeric(9, 6) not null check (recovery_percent between 0 and 100),
      forgive_on date,
      created_by text not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, draw_id),
      foreign key (workspace_id, rep_id) references reps,
      check (to_day >= from_day),
      check ((recovery_start = 'day') = (recovery_day is not null))
    )`.execute(db);
  await tenantTable(db, 'draws');
  await sql`create index draws_of_rep on draws (workspace_id, rep_id, from_day)`.execute(db);
  await sql`
    create table draw_history (
      workspace_id uuid not null,
      draw_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      to_day date,
      recovery_start text not null,
      recovery_day date,
      recovery_percent numeric(9, 6) not null,
      forgive_on date,
      primary key (workspace_id, draw_id, position)
    )`.execute(db);
  await tenantTable(db, 'draw_history');
  await insertOnly(db, 'draw_history');
  await sql`
    create table draw_forgiveness (
      workspace_id uuid not null,
      draw_id uuid not null,
      forgiveness_id uuid not null,
      amount numeric not null check (amount > 0),
      forgiven_on date not null,
      reason text not null check (length(reason) between 1 and 1000),
      forgiven_by text not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, draw_id, forgiveness_id),
      foreign key (workspace_id, draw_id) references draws
    )`.execute(db);
  await tenantTable(db, 'draw_forgiveness');
  await insertOnly(db, 'draw_forgiveness');
  const audited = {
    draws: ['draw_id,rep_id', ''],
    draw_forgiveness: ['draw_id,forgiveness_id', 'reason'],
  } as const;
  for (const [table, [ids, hidden]] of Object.entries(audited)) {
    await sql`
      create trigger bump_workspace_cache_version after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function bump_workspace_cache_version()`.execute(db);
    await sql`
      create trigger record_row_change after insert or update or delete on ${sql.table(table)}
      for each row when (current_setting('app.records_changes', true) = 'on')
      execute function record_row_change(${sql.lit(ids)}, ${sql.lit(hidden)}, '')`.execute(db);
  }
}
