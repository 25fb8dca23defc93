import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** What customers got back of deals, or never paid. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_refunds (
      workspace_id uuid not null references workspaces,
      -- of a deal that may come later
      deal_id text not null,
      refund_id text not null check (refund_id !~ ':' and length(refund_id) between 1 and 200),
      day date not null,
      cause text not null check (cause in ('cancellation', 'refund', 'non_payment')),
      -- in the currency of the deal; null for all that earlier refunds left
      amount numeric(30, 4) check (amount > 0),
      reason text not null default '' check (length(reason) <= 1000),
      -- what people keep: [{repId, percent, reason}], without repId for everyone else
      waivers jsonb not null default '[]',
      -- the deal key of its events
      deal_key text generated always as ('refund:' || deal_id || ':' || refund_id) stored,
      updated_at timestamptz not null default now(),
      primary key (workspace_id, deal_id, refund_id)
    )`.execute(db);
  await tenantTable(db, 'deal_refunds');
  await sql`create index deal_refunds_by_day on deal_refunds (workspace_id, day)`.execute(db);
  await sql`create index deal_refunds_by_key on deal_refunds (workspace_id, deal_key)`.execute(db);
  await sql`
    create table deal_refund_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      deal_id text not null,
      refund_id text not null,
      changed_at timestamptz not null default now(),
      -- the refund with its waivers since then; null if it was deleted
      content jsonb,
      primary key (workspace_id, deal_id, refund_id, position)
    )`.execute(db);
  await tenantTable(db, 'deal_refund_history');
  await insertOnly(db, 'deal_refund_history');
  for (const name of ['bump_configuration_revision', 'bump_workspace_cache_version'])
    await sql`
      create trigger ${sql.raw(name)} after insert or update or delete or truncate on deal_refunds
      for each statement execute function ${sql.raw(name)}()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on deal_refunds
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('deal_id,refund_id', 'reason,waivers', '')`.execute(db);
}
