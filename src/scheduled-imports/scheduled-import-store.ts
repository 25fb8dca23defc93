import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { revokeLease } from '../platform/jobs/leases.js';
import { type ImportOptions, type ImportSubject, type SourceAddress } from './scheduled-import.js';
import { importLease } from './scheduled-import-job.js';

interface Schedule {
  readonly every: 'hour' | 'day';
  readonly at: string;
}

interface NewScheduledImport {
  readonly id: string;
  readonly name: string;
  readonly subject: ImportSubject;
  readonly source: SourceAddress;
  /** Encrypted. */
  readonly secret: Buffer | null;
  readonly options: ImportOptions;
  readonly schedule: Schedule;
}

/** The work of a run, as leases name it. */
function leaseOf(id: string): string {
  return `${importLease} ${id}`;
}

/** The first run is requested at once: it makes the dry run that a person confirms. */
export async function insertScheduledImport(tx: Transaction, added: NewScheduledImport): Promise<void> {
  const { id, name, subject, source, secret, options, schedule } = added;
  await tx.db
    .insertInto('scheduled_imports')
    .values({
      workspace_id: tx.workspaceId,
      scheduled_import_id: id,
      name,
      subject,
      source: JSON.stringify(source),
      secret,
      options: JSON.stringify(options),
      every: schedule.every,
      at_time: schedule.at,
      revision: newId(),
      next_run_at: nextRun(tx, schedule),
      requests: 1,
    })
    .execute();
}

interface ScheduledImportChange {
  readonly name?: string | undefined;
  readonly source?: SourceAddress | undefined;
  readonly secret?: Buffer | null | undefined;
  readonly options?: ImportOptions | undefined;
  readonly schedule?: Schedule | undefined;
  readonly paused?: boolean | undefined;
}

/**
 * A change of what is read, or how, needs a new dry run and its confirmation: the files that wait or failed are read
 * again. Imported files stay imported. A run that is in progress ends with its lease.
 */
export async function updateScheduledImport(
  tx: Transaction,
  id: string,
  { name, source, secret, options, schedule, paused }: ScheduledImportChange,
): Promise<void> {
  const isReread = source !== undefined || options !== undefined;
  await revokeLease(tx, leaseOf(id));
  await tx.db
    .updateTable('scheduled_imports')
    .set({
      revision: newId(),
      ...(name === undefined ? {} : { name }),
      ...(source === undefined ? {} : { source: JSON.stringify(source) }),
      ...(secret === undefined ? {} : { secret }),
      ...(options === undefined ? {} : { options: JSON.stringify(options) }),
      ...(paused === undefined ? {} : { paused }),
      ...(isReread ? { confirmed_header: null, confirmed_by: null, confirmed_at: null } : {}),
      ...(isReread || secret !== undefined ? { error: null, attempts: 0, requests: sql<number>`requests + 1` } : {}),
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .execute();
  if (schedule !== undefined || paused === false) await setSchedule(tx, id, schedule);
  if (!isReread) return;
  await tx.db
    .deleteFrom('scheduled_import_files')
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .where('status', '<>', 'imported')
    .execute();
}

/** Stores the schedule, or the next run of the stored one. */
async function setSchedule(tx: Transaction, id: string, changedSchedule: Schedule | undefined): Promise<void> {
  const schedule = changedSchedule ?? (await readSchedule(tx, id));
  await tx.db
    .updateTable('scheduled_imports')
    .set({ every: schedule.every, at_time: schedule.at, next_run_at: nextRun(tx, schedule) })
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .execute();
}

async function readSchedule(tx: Transaction, id: string): Promise<Schedule> {
  const { every, at_time: at } = await tx.db
    .selectFrom('scheduled_imports')
    .select(['every', 'at_time'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .executeTakeFirstOrThrow();
  return { every, at };
}

/**
 * The next instant of the schedule in the time zone of the workspace. Where the clock is set forward over the time, it is
 * as much later; an hourly schedule has an instant in every hour.
 */
export function nextRun(tx: Transaction, { every, at }: Schedule, now = sql<Date>`now()`) {
  const zone = sql`(select known_zone(timezone) from workspaces where workspace_id = ${tx.workspaceId})`;
  if (every === 'hour')
    return sql<Date>`(
      select min(t) from generate_series(date_trunc('minute', ${now}::timestamptz) + interval '1 minute',
        ${now}::timestamptz + interval '2 hours', interval '1 minute') t
      where extract(minute from t at time zone ${zone}) = extract(minute from ${at}::time))`;
  return sql<Date>`(
    select min(t) from generate_series(-1, 2) days
    cross join lateral (
      select ((${now}::timestamptz at time zone ${zone})::date + days + ${at}::time) at time zone ${zone} as t) c
    where t > ${now}::timestamptz)`;
}

/** False if there is no such scheduled import. A run that is in progress ends with its lease. */
export async function deleteScheduledImport(tx: Transaction, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('scheduled_imports')
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .executeTakeFirst();
  await revokeLease(tx, leaseOf(id));
  return numDeletedRows > 0n;
}

/** Lets a worker read the source now, also if one is reading it. */
export async function requestRun(tx: Transaction, id: string): Promise<void> {
  await tx.db
    .updateTable('scheduled_imports')
    .set({ requests: sql<number>`requests + 1` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .execute();
}

/** Lets the import of files with the columns of this one begin; false if the file does not wait for it. */
export async function confirmFile(
  tx: Transaction,
  id: string,
  fileId: string,
  confirmedBy: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    update scheduled_imports s
    set confirmed_header = array(select jsonb_array_elements_text(f.sample -> 'header')), confirmed_by = ${confirmedBy},
      confirmed_at = now(), requests = s.requests + 1
    from scheduled_import_files f
    where s.workspace_id = ${tx.workspaceId} and s.scheduled_import_id = ${id}
      and f.workspace_id = s.workspace_id and f.scheduled_import_id = s.scheduled_import_id
      and f.file_id = ${fileId} and f.status = 'waiting'
    returning 1`.execute(tx.db);
  return rows.length > 0;
}
