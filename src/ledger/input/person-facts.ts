import { type RawBuilder, sql } from 'kysely';
import { type PersonFacts } from '../../engine/person-facts.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The dated values of the person `r`. A title, team or location without days holds from the beginning. */
export const datedFields: RawBuilder<PersonFacts['fields']> = sql`jsonb_strip_nulls(jsonb_build_object(
    'title', case when r.title is not null then jsonb_build_array(jsonb_build_object('value', r.title)) end,
    'team', case when r.team is not null then jsonb_build_array(jsonb_build_object('value', r.team)) end,
    'location', case when r.location is not null then jsonb_build_array(jsonb_build_object('value', r.location)) end))
  || coalesce((
    select jsonb_object_agg(v.slug, v.dated_values) from person_values v
    where v.workspace_id = r.workspace_id and v.rep_id = r.rep_id), '{}')`;

/** What keys of rate tables read of the people, by id. */
export async function loadPersonFacts(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, PersonFacts>> {
  if (repIds.length === 0) return new Map();
  const { rows } = await sql<PersonFacts & { readonly repId: string }>`
    select r.rep_id as "repId", r.hire_date as "hireDate", ${datedFields} as fields
    from reps r where r.workspace_id = ${tx.workspaceId} and r.rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  return new Map(rows.map(({ repId, ...facts }) => [repId, facts]));
}
