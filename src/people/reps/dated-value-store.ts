import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type DatedValue, isProfileField, type ProfileField, valueOn } from './dated-field.js';

/** Replaces the values of a dated field. Lists of people show the title, the team and the location of today. */
export async function storeDatedValues(
  tx: Transaction,
  { repId, slug, today }: { readonly repId: string; readonly slug: string; readonly today: Day },
  values: readonly DatedValue[],
): Promise<void> {
  if (isProfileField(slug)) await storeProfileField(tx, repId, slug, valueOn(values, today) ?? null);
  const stored = JSON.stringify(values);
  await tx.db
    .insertInto('person_values')
    .values({ workspace_id: tx.workspaceId, rep_id: repId, slug, dated_values: stored })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'rep_id', 'slug']).doUpdateSet({ dated_values: stored }),
    )
    .execute();
}

async function storeProfileField(
  tx: Transaction,
  repId: string,
  slug: ProfileField,
  value: string | number | null,
): Promise<void> {
  await tx.db
    .updateTable('reps')
    .set({ [slug]: value === null ? null : String(value) })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .execute();
}
