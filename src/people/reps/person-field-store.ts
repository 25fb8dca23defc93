import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type DatedValue, profileFields } from './dated-field.js';
import { lockPeople } from './lock-people.js';
import { type FieldValue, type FieldValues, type PersonField, readFieldValue } from './person-field.js';

/** Replaces the definitions. Values that would have no definition, or would not fit it, reject the change. */
export async function savePersonFields(tx: Transaction, fields: readonly PersonField[]): Promise<void> {
  await lockPeople(tx);
  const { rows } = await sql<{ fields: FieldValues; dated: Readonly<Record<string, readonly DatedValue[]>> }>`
    select r.fields, coalesce((
      select jsonb_object_agg(v.slug, v.dated_values) from person_values v
      where v.workspace_id = r.workspace_id and v.rep_id = r.rep_id and v.slug <> all(${profileFields}::text[])
        and v.dated_values <> '[]'
    ), '{}') as dated
    from reps r where r.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const misfits = new Map<string, number>();
  const isMisfit = (field: PersonField | undefined, value: FieldValue) => {
    const read = field === undefined ? null : readFieldValue(field, value);
    return read === null || !('value' in read) || read.value !== value;
  };
  for (const { fields: values, dated } of rows) {
    const definitionOf = (slug: string) => fields.find((defined) => defined.slug === slug);
    const misfitsOfPerson = [
      ...Object.entries(values).filter(([slug, value]) => isMisfit(definitionOf(slug), value)),
      ...Object.entries(dated).filter(
        ([slug, all]) =>
          definitionOf(slug)?.dated !== true || all.some(({ value }) => isMisfit(definitionOf(slug), value)),
      ),
    ];
    for (const [slug] of misfitsOfPerson) misfits.set(slug, (misfits.get(slug) ?? 0) + 1);
  }
  const [misfit] = misfits;
  if (misfit !== undefined) {
    const [slug, people] = misfit;
    throw new Failure(
      'person_field_in_use',
      `${people} people have a value of ${slug} that the change would lose. Change or clear these values first.`,
      { slug, people },
    );
  }
  await tx.db
    .updateTable('workspaces')
    .set({ person_fields: JSON.stringify(fields) })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
  await moveToDatedValues(
    tx,
    fields.filter(({ dated }) => dated === true).map(({ slug }) => slug),
  );
}

/**
 * Moves the values of fields that have become dated to `person_values`, without a first day. A row that is there already
 * is empty: its values were cleared.
 */
async function moveToDatedValues(tx: Transaction, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  await sql`
    insert into person_values (workspace_id, rep_id, slug, dated_values)
    select r.workspace_id, r.rep_id, f.key, jsonb_build_array(jsonb_build_object('value', f.value))
    from reps r cross join jsonb_each(r.fields) f
    where r.workspace_id = ${tx.workspaceId} and f.key = any(${slugs}::text[])
    on conflict (workspace_id, rep_id, slug) do update set dated_values = excluded.dated_values`.execute(tx.db);
  await sql`
    update reps set fields = fields - ${slugs}::text[]
    where workspace_id = ${tx.workspaceId} and fields ?| ${slugs}::text[]`.execute(tx.db);
}
