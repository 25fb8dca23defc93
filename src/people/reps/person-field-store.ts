import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { lockPeople } from './lock-people.js';
import { type FieldValues, type PersonField, readFieldValue } from './person-field.js';

/** Replaces the definitions. Values that would have no definition, or would not fit it, reject the change. */
export async function savePersonFields(tx: Transaction, fields: readonly PersonField[]): Promise<void> {
  await lockPeople(tx);
  const { rows } = await sql<{ fields: FieldValues }>`
    select fields from reps where workspace_id = ${tx.workspaceId} and fields <> '{}'`.execute(tx.db);
  const misfits = new Map<string, number>();
  for (const { fields: values } of rows)
    for (const [slug, value] of Object.entries(values)) {
      const field = fields.find((defined) => defined.slug === slug);
      const read = field === undefined ? null : readFieldValue(field, value);
      if (read === null || !('value' in read) || read.value !== value) misfits.set(slug, (misfits.get(slug) ?? 0) + 1);
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
}
