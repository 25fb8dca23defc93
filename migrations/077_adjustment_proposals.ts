import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** Adjustments above a limit, which count once another person has approved them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workspaces
    -- [{above, by}]; null: an admin adds any amount
    add column adjustment_limits jsonb`.execute(db);
  await sql`
    create table adjustment_proposals (
      workspace_id uuid not null,
      adjustment_id uuid not null,
      rep_id uuid not null,
      period text not null,
      kind text not null check (kind in ('adjustment', 'clawback')),
      amount numeric not null,
      currency text not null,
      deal_id text,
      reason text not null check (length(reason) between 1 and 500),
      -- who decides, as the limit said when it was proposed
      deciders jsonb not null,
      -- everyone responsible for the proposal, none of whom decides it
      proposer_ids uuid[] not null,
      actor text not null,
      proposed_at timestamptz not null default now(),
      status text not null default 'proposed' check (status in ('proposed', 'approved', 'rejected')),
      decided_by uuid,
      decided_at timestamptz,
      decision_reason text check (length(decision_reason) <= 1000),
      -- the event that pays an approved one
      event_id uuid,
      primary key (workspace_id, adjustment_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, decided_by) references reps,
      check ((status = 'proposed') = (decided_at is null)),
      check ((status = 'approved') = (event_id is not null))
    )`.execute(db);
  await sql`
    create index adjustment_proposals_of_statement on adjustment_proposals (workspace_id, period, rep_id)`.execute(db);
  await tenantTable(db, 'adjustment_proposals');
  await sql`
    create trigger bump_workspace_cache_version after insert or update or delete or truncate on adjustment_proposals
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on adjustment_proposals
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('adjustment_id,rep_id,period', 'reason,decision_reason', '')`.execute(db);
}
