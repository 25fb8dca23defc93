import { type Kysely, sql } from 'kysely';

/** Payroll ids belong to one person of a workspace, and it is known when they changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Readers and payroll systems do not distinguish letter case, widths and spaces.
  await sql`
    create function payroll_key(payroll_id text) returns text
    language sql immutable parallel safe as $$
      select nullif(regexp_replace(lower(normalize(payroll_id, NFKC)), '[[:space:]]', '', 'g'), '')
    $$`.execute(db);
  await sql`
    alter table reps
      -- Null for a person without an id, and for all but the first of the people who shared an id before this migration:
      -- they are listed with the payroll files until one of them gets another id.
      add column payroll_key text,
      add column payroll_id_changed_at timestamptz`.execute(db);
  await sql`
    update reps r set payroll_key = o.payroll_key
    from (select workspace_id, rep_id, payroll_key(payroll_id),
        row_number() over (partition by workspace_id, payroll_key(payroll_id) order by created_at, rep_id) as place
      from reps where payroll_id is not null) o
    where o.workspace_id = r.workspace_id and o.rep_id = r.rep_id and o.place = 1`.execute(db);
  // Checked at the end of a statement, so that two people may swap their ids.
  await sql`
    alter table reps add constraint reps_payroll_key unique (workspace_id, payroll_key) deferrable initially immediate`.execute(
    db,
  );
  await sql`
    create index reps_sharing_payroll_ids on reps (workspace_id)
    where payroll_id is not null and payroll_key is null`.execute(db);
  await sql`
    create function record_payroll_id_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.payroll_id is not distinct from old.payroll_id then return new; end if;
      elsif new.payroll_id is null then
        return new;
      end if;
      new.payroll_key := payroll_key(new.payroll_id);
      new.payroll_id_changed_at := now();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger record_payroll_id_change before insert or update of payroll_id on reps
    for each row execute function record_payroll_id_change()`.execute(db);
  // The audit log shows that an id has changed, and not the id.
  await sql`
    create or replace trigger record_row_change after insert or update or delete on reps
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('rep_id', 'email,name,avatar,payroll_id,crm_member_id',
      'synced_at,payroll_key')`.execute(db);
  // The people of a handed-over file whose ids had changed, by their ids.
  await sql`
    alter table payroll_handovers add column changed_payroll_ids jsonb not null default '[]'`.execute(db);
}
