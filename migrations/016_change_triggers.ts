import { type Kysely, sql } from 'kysely';

/**
 * Triggers that replace the configuration revision and the cache versions. They are in the database and not in the
 * commands, so that they also see the changes of an operator and of processes of another release. Each runs once for a
 * statement, however many rows it changes. A change without a workspace, by the owner, counts for all workspaces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createConfigurationTriggers(db);
  await createCacheTriggers(db);
  await createAuditTriggers(db);
}

const anyChange = 'insert or update or delete or truncate';

async function createConfigurationTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function bump_configuration_revision() returns trigger
    language plpgsql as $$
    begin
      update workspaces set configuration_revision = gen_random_uuid()
      where workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, workspace_id);
      return null;
    end $$`.execute(db);
  const changes = {
    plans: 'insert or delete or truncate or update of status',
    plan_versions: anyChange,
    plan_rules: anyChange,
    plan_overrides: anyChange,
    assignments: anyChange,
    reporting_lines: anyChange,
    // Not of "current_value", which calculations write and which decides nothing.
    quotas:
      'insert or delete or truncate or update of rep_id, plan_id, attainment_key, period, target, variable_target',
  };
  for (const [table, change] of Object.entries(changes))
    await sql`
      create trigger bump_configuration_revision after ${sql.raw(change)} on ${sql.table(table)}
      for each statement execute function bump_configuration_revision()`.execute(db);

  await sql`
    create function bump_own_configuration_revision() returns trigger
    language plpgsql as $$
    begin
      new.configuration_revision := gen_random_uuid();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger bump_configuration_revision before update of currency, timezone, field_mapping on workspaces
    for each row execute function bump_own_configuration_revision()`.execute(db);
}

/** The scope that every cached response depends on; see src/platform/database/cache-versions.ts. */
const workspaceScope = 65;

/**
 * A transaction that declares which reps it affects replaces their versions with its commit, when other transactions
 * wait for the shortest time. Every other change of what responses contain replaces the workspace's version at once.
 */
async function createCacheTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function bump_workspace_cache_version() returns trigger
    language plpgsql as $$
    begin
      if coalesce(current_setting('app.declares_affected', true), '') <> 'on' then
        insert into cache_versions (workspace_id, scope)
        select w.workspace_id, ${sql.raw(String(workspaceScope))} from workspaces w
        where w.workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, w.workspace_id)
        order by w.workspace_id
        on conflict (workspace_id, scope) do update set version = gen_random_uuid();
      end if;
      return null;
    end $$`.execute(db);
  const changes = {
    workspaces: 'update of name, currency, timezone, field_mapping, manager_scope',
    // Not of columns that a sign-in writes: it would wait for a running change of the configuration.
    reps: 'insert or delete or truncate or update of email, name, role, active',
    reporting_lines: anyChange,
    plans: anyChange,
    plan_versions: anyChange,
    plan_rules: anyChange,
    plan_overrides: anyChange,
    assignments: anyChange,
    quotas: anyChange,
    deals: anyChange,
    commission_events: anyChange,
    rep_months: anyChange,
    statement_periods: anyChange,
    // In no cached response, but displayed by clients that poll the revision.
    statement_comments: anyChange,
    statement_checks: anyChange,
    disputes: anyChange,
    discrepancies: anyChange,
  };
  for (const [table, change] of Object.entries(changes))
    await sql`
      create trigger bump_workspace_cache_version after ${sql.raw(change)} on ${sql.table(table)}
      for each statement execute function bump_workspace_cache_version()`.execute(db);
}

interface Audited {
  /** Columns that identify the row. */
  readonly ids: readonly string[];
  /** Columns with names, addresses, free text and secrets: the entry shows that they changed, not their values. */
  readonly hidden?: readonly string[];
  /** Columns that no person changes. */
  readonly ignored?: readonly string[];
}

const audited: Readonly<Record<string, Audited>> = {
  workspaces: {
    ids: [],
    hidden: ['name'],
    ignored: ['configuration_revision', 'periodic_through', 'sends_events', 'writes_back', 'digest_of'],
  },
  reps: { ids: ['rep_id'], hidden: ['email', 'name', 'avatar', 'payroll_id', 'crm_member_id'], ignored: ['synced_at'] },
  reporting_lines: { ids: ['rep_id', 'from_day'] },
  tokens: { ids: ['token_id'], hidden: ['token_hash', 'label'], ignored: ['last_used_at'] },
  plans: { ids: ['plan_id'], hidden: ['name'] },
  plan_versions: { ids: ['plan_version_id', 'plan_id'] },
  plan_overrides: { ids: ['plan_version_id', 'rep_id', 'rule_id'] },
  assignments: { ids: ['assignment_id', 'rep_id', 'plan_id'] },
  quotas: { ids: ['quota_id', 'rep_id'], ignored: ['current_value', 'updated_at'] },
  crm_connections: {
    ids: ['provider'],
    hidden: ['credentials'],
    ignored: ['last_sync_at', 'polled_through', 'poll_due_at'],
  },
  statement_periods: { ids: ['rep_id', 'period'], hidden: ['approver'] },
  statement_comments: { ids: ['comment_id', 'rep_id', 'period'], hidden: ['body'] },
  statement_checks: { ids: ['rep_id', 'period', 'version'], hidden: ['note'] },
  discrepancies: { ids: ['discrepancy_id', 'rep_id', 'period'], hidden: ['reason', 'lines'] },
  disputes: { ids: ['dispute_id', 'rep_id', 'period'], hidden: ['description', 'evidence'] },
  dispute_steps: { ids: ['dispute_id', 'step'], hidden: ['note'] },
  payroll_handovers: { ids: ['handover_id'], hidden: ['note'] },
};

/**
 * Collects the changes of rows in settings of the transaction, from which insert_audit_entry takes them. Only calls of
 * people and keys set `app.records_changes`; calculations, syncs and migrations collect nothing. After 100,000
 * bytes, changes are only counted.
 */
async function createAuditTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function audited_values(given jsonb, other jsonb, hidden text[], omitted text[]) returns jsonb
    language sql immutable as $$
      select jsonb_object_agg(v.key, case
        when v.value = 'null' then v.value
        when v.key = any(hidden) then '"*"'
        when length(v.value::text) > 500
          then to_jsonb('sha256:' || encode(sha256(convert_to(v.value::text, 'UTF8')), 'hex'))
        else v.value end)
      from jsonb_each(given) v
      where v.key <> all(omitted) and (other is null or other -> v.key is distinct from v.value)
    $$`.execute(db);
  await sql`
    create function record_row_change() returns trigger
    language plpgsql as $$
    declare
      ids constant text[] := string_to_array(tg_argv[0], ',');
      hidden constant text[] := string_to_array(tg_argv[1], ',');
      omitted constant text[] := ids || string_to_array(tg_argv[2], ',') || '{workspace_id,created_at}';
      counted constant text := coalesce(current_setting('app.more_row_changes', true), '');
      recorded text;
      old_row jsonb;
      new_row jsonb;
      change jsonb;
    begin
      -- Reading the recorded changes for every row of a large file would take a millisecond each.
      if counted = '' then recorded := coalesce(current_setting('app.row_changes', true), ''); end if;
      if counted <> '' or octet_length(recorded) > 100000 then
        perform set_config('app.more_row_changes', (coalesce(nullif(counted, ''), '0')::integer + 1)::text, true);
        return null;
      end if;
      if tg_op <> 'INSERT' then old_row := to_jsonb(old); end if;
      if tg_op <> 'DELETE' then new_row := to_jsonb(new); end if;
      change := jsonb_build_object(
        'table', tg_table_name,
        'id', (select coalesce(jsonb_object_agg(i, coalesce(new_row, old_row) -> i), '{}') from unnest(ids) i),
        'before', audited_values(old_row, new_row, hidden, omitted),
        'after', audited_values(new_row, old_row, hidden, omitted));
      if tg_op <> 'UPDATE' or change -> 'after' <> 'null' then
        perform set_config('app.row_changes', concat_ws(',', nullif(recorded, ''), change::text), true);
      end if;
      return null;
    end $$`.execute(db);
  for (const [table, { ids, hidden = [], ignored = [] }] of Object.entries(audited))
    await sql`
      create trigger record_row_change after insert or update or delete on ${sql.table(table)}
      for each row when (current_setting('app.records_changes', true) = 'on')
      execute function record_row_change(${sql.lit(ids.join())}, ${sql.lit(hidden.join())}, ${sql.lit(ignored.join())})`.execute(
      db,
    );
  // Of the events only those that people enter.
  for (const [operation, row] of [
    ['insert or update', 'new'],
    ['delete', 'old'],
  ] as const)
    await sql`
      create trigger ${sql.raw(`record_row_change_${row}`)} after ${sql.raw(operation)} on commission_events
      for each row
      when (${sql.raw(row)}.kind <> 'commission_earned' and current_setting('app.records_changes', true) = 'on')
      execute function record_row_change('event_id,rep_id', 'reason', 'revision,updated_at,trace,idempotency_key')`.execute(
      db,
    );
}
