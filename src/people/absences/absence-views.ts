import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../kernel/ids.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { type Absence } from './absence.js';

interface AbsenceFilter {
  readonly absenceId?: string;
  readonly repIds?: readonly string[] | null;
  readonly page?: OptionalPage;
}

/** The absences as a table expression: the current ones, or in a transaction with `asOf` those of that instant. */
function absencesTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`absences`;
  return sql`(
    select *, null::text as note from ${latestRows(tx, 'absence_history', ['absence_id'])} where from_day is not null)`;
}

/** The absences `a` that the filter selects. */
function matchingAbsences(tx: Transaction, { absenceId, repIds }: AbsenceFilter): RawBuilder<unknown> {
  return sql`${absencesTable(tx)} a
    where a.workspace_id = ${tx.workspaceId}
      ${absenceId === undefined ? sql`` : sql`and a.absence_id = ${absenceId}`}
      ${repIds ? sql`and a.rep_id = any(${repIds}::uuid[])` : sql``}`;
}

/** Absences by rep, earliest first. */
export async function listAbsences(tx: Transaction, filter: AbsenceFilter): Promise<Absence[]> {
  const { limit, offset = 0 } = filter.page ?? {};
  const { rows } = await sql<Absence>`
    select a.absence_id as "absenceId", a.rep_id as "repId", a.from_day as "from", a.to_day as "to",
      a.quota_relief::float8 as "quotaRelief", a.variable_relief::float8 as "variableRelief", a.note
    from ${matchingAbsences(tx, filter)}
    order by a.rep_id, a.from_day, a.absence_id
    limit ${limit ?? null} offset ${offset}`.execute(tx.db);
  return rows;
}

export async function countAbsences(tx: Transaction, filter: AbsenceFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${matchingAbsences(tx, filter)}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

export async function findAbsence(tx: Transaction, absenceId: string): Promise<Absence | null> {
  if (!isUuid(absenceId)) return null;
  return (await listAbsences(tx, { absenceId }))[0] ?? null;
}
