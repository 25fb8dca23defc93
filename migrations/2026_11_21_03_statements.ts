import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** Statements: the head of a rep's period, its versions, what is said about it, and the guard of what is approved. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Versions never change, so whether one is approved stands here.
  await sql`
    alter table statement_periods
      add column current_version integer not null default 0 check (current_version >= 0),
      add column approved_version integer,
      add column approved_at timestamptz,
      add column approved_by text,
      add column approved_total numeric(20, 4) check (approved_total <> 'NaN'),
      add column currency text check (currency ~ '^[A-Z]{3}$'),
      add check (approved_version <= current_version)`.execute(db);

  await sql`
    create table statements (
      workspace_id uuid not null,
      statement_id uuid not null,
      rep_id uuid not null,
      period text not null,
      version integer not null check (version >= 1),
      -- what it was generated as; what it is stands in its head
      status text not null check (status in ('draft', 'approved')),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      -- amounts are decimal texts
      summary jsonb not null,
      other_currencies jsonb not null,
      deal_count integer not null,
      line_items jsonb not null,
      -- equal for equal content
      content_hash uuid not null,
      generated_at timestamptz not null,
      generated_by text not null,
      primary key (workspace_id, statement_id),
      constraint statements_version unique (workspace_id, rep_id, period, version),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await tenantTable(db, 'statements');
  await sql`revoke update, delete on statements from ${sql.raw(appRole)}`.execute(db);

  await sql`
    create table statement_comments (
      workspace_id uuid not null,
      comment_id uuid not null,
      rep_id uuid not null,
      period text not null,
      deal_id text,
      body text not null check (length(body) between 1 and 4000),
      -- null for the workspace's key
      author_id uuid,
      created_at timestamptz not null default now(),
      primary key (workspace_id, comment_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await sql`create index statement_comments_by_statement on statement_comments (workspace_id, rep_id, period, created_at)`.execute(
    db,
  );
  await tenantTable(db, 'statement_comments');

  await guardApprovedPeriods(db);
}

/**
 * The second line behind the code that honours approved periods: whatever writes an event on an approved day fails.
 * Once a statement and not once a row, since events come in thousands. A true-up is let in; taking it back needs no
 * exception, because by then its period is a draft again.
 */
async function guardApprovedPeriods(db: Kysely<unknown>): Promise<void> {
  const frozenAmong = (rows: string, exempt: string) =>
    sql.raw(`
      select s.period into frozen
      from (select distinct workspace_id, rep_id from ${rows}) r
      join statement_periods s on s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.status = 'approved'
      where exists (select from ${rows} e where e.workspace_id = s.workspace_id and e.rep_id = s.rep_id
        and e.earned_on between s.from_day and s.to_day ${exempt})
      limit 1;`);
  await sql`
    create function refuse_events_of_approved_periods() returns trigger language plpgsql as $$
    declare frozen text;
    begin
      if tg_op = 'INSERT' then ${frozenAmong('new_rows', "and e.kind <> 'true_up'")}
      else ${frozenAmong('old_rows', '')}
      end if;
      if frozen is null and tg_op = 'UPDATE' then ${frozenAmong('new_rows', '')}
      end if;
      if frozen is not null then
        raise exception 'statement_locked: commission of the approved period % cannot be written', frozen;
      end if;
      return null;
    end $$`.execute(db);
  for (const [event, tables] of [
    ['insert', 'new table as new_rows'],
    ['update', 'old table as old_rows new table as new_rows'],
    ['delete', 'old table as old_rows'],
  ]) {
    await sql`
      create trigger ${sql.raw(`commission_events_frozen_${event}`)} after ${sql.raw(event as string)} on commission_events
      referencing ${sql.raw(tables as string)}
      for each statement execute function refuse_events_of_approved_periods()`.execute(db);
  }
}
