import { type Kysely, sql } from 'kysely';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';

/** Feeds whose order costs calculations less, refunds of lines or of an amount, and the revision that counts after a lock. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await numberDeals(db);
  await numberHistory(db);
  await replaceAdoption(db);
  await separateRefunds(db);
  await createRevisionFunction(db);
}

/**
 * An update numbers the row again. A statement that writes many rows does so itself: the trigger takes longer. The condition
 * of the index holds for every row; only statements that compare the number can read the index.
 */
async function numberDeals(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger stamp_changed_row on deals`.execute(db);
  await sql`
    create function stamp_changed_deal() returns trigger
    language plpgsql as $$
    begin
      new.changed_in := pg_current_xact_id();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger stamp_changed_deal before update on deals
    for each row when (new.changed_in = old.changed_in) execute function stamp_changed_deal()`.execute(db);
  await sql`drop index deals_by_change`.execute(db);
  await sql`
    create index deals_by_change on deals (workspace_id, changed_in, deal_id) where changed_in is not null`.execute(db);
}

/**
 * The feed of events reads the latest revisions by the number of their transaction, which would be an index to change in
 * each update of an event. The latest revision takes the number of its event, so that readers continue where they are;
 * no reader needs those of earlier revisions.
 */
async function numberHistory(db: Kysely<unknown>): Promise<void> {
  await sql`alter table commission_event_history add column changed_in xid8 not null default '0'`.execute(db);
  await sql`
    update commission_event_history h set changed_in = e.changed_in from commission_events e
    where h.workspace_id = e.workspace_id and h.rep_id = e.rep_id and h.event_id = e.event_id and h.revision = e.revision
  `.execute(db);
  await sql`
    alter table commission_event_history alter column changed_in set default pg_current_xact_id()`.execute(db);
  await sql`
    create index commission_event_history_by_change
    on commission_event_history (workspace_id, changed_in, event_id) where changed_in is not null`.execute(db);
  await sql`drop trigger stamp_changed_row on commission_events`.execute(db);
  await sql`drop function stamp_changed_row()`.execute(db);
  await sql`alter table commission_events drop column changed_in`.execute(db);
}

/** Rows that were restored on another server get the number of a transaction of this one. */
async function replaceAdoption(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function adopt_database() returns void
    language plpgsql ${asOwner} as $$
    declare
      here bigint := (select system_identifier from pg_control_system());
    begin
      perform from database_identity where system_identifier = here;
      if found then
        return;
      end if;
      lock table database_identity in exclusive mode;
      alter table deals disable trigger user;
      update deals set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      update commission_event_history set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      update removed_rows set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      alter table deals enable trigger user;
      update database_identity set system_identifier = here;
    end $$`.execute(db);
}

/** A refund of lines has the amount of its lines: one beside them had no effect. */
async function separateRefunds(db: Kysely<unknown>): Promise<void> {
  await sql`update deal_refunds set amount = null where lines is not null and amount is not null`.execute(db);
  await sql`
    alter table deal_refunds add constraint deal_refunds_check check (lines is null or amount is null)`.execute(db);
}

/**
 * The revision of the configuration, as it is committed when the function is called and not when its statement began: a
 * volatile function takes a new snapshot. A transaction calls it after the lock under which the configuration stays.
 */
async function createRevisionFunction(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function configuration_revision_of(workspace uuid) returns uuid
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    begin
      return (select w.configuration_revision from workspaces w where w.workspace_id = workspace);
    end $$`.execute(db);
  await grantToService(db, ['configuration_revision_of(uuid)']);
}
