import { sql } from 'kysely';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type DatedValue, isProfileField, type ProfileField, profileFields } from './dated-field.js';

/** The values of a dated field of a person; of a title, team or location without days the present one. */
export async function findDatedValues(tx: Transaction, repId: string, slug: string): Promise<readonly DatedValue[]> {
  const stored = await tx.db
    .selectFrom('person_values')
    .select('dated_values')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('slug', '=', slug)
    .executeTakeFirst();
  if (stored !== undefined || !isProfileField(slug)) return stored?.dated_values ?? [];
  const person = await tx.db
    .selectFrom('reps')
    .select(slug)
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
  const value = person?.[slug] ?? null;
  return value === null ? [] : [{ value }];
}

/** Whether a key of a rate table reads one of the fields of people. */
export async function isReadByTables(tx: Transaction, slugs: readonly string[]): Promise<boolean> {
  if (slugs.length === 0) return false;
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from rate_tables t cross join jsonb_array_elements(t.keys) k
      where t.workspace_id = ${tx.workspaceId}
        and lower(k ->> 'field') = any(${slugs.map((slug) => `rep.${slug}`)}::text[])
    ) as found`.execute(tx.db);
  return rows[0]?.found === true;
}

/** Whether a change of a profile changes what rate tables read. */
export async function changesReadFields(
  tx: Transaction,
  change: { readonly [Field in ProfileField]?: string | null | undefined },
): Promise<boolean> {
  return isReadByTables(
    tx,
    profileFields.filter((field) => change[field] !== undefined),
  );
}

interface ProfileChange {
  readonly known?: Readonly<Record<ProfileField, string | null>> | undefined;
  readonly next: Readonly<Record<ProfileField, string | null>> & { readonly repId: string };
}

/** No person decides their own rates: not by their title, team or location while a rate table reads it. */
export async function assertNotOwnRates(
  tx: Transaction,
  caller: Caller,
  changes: readonly ProfileChange[],
): Promise<void> {
  const people = peopleBehind(caller);
  const changed = changes
    .filter(({ next }) => people.includes(next.repId))
    .flatMap(({ known, next }) => profileFields.filter((field) => (known?.[field] ?? null) !== next[field]));
  if (await isReadByTables(tx, changed)) throw ownRates();
}

export function ownRates(): Failure {
  return new Failure('forbidden', 'You cannot change what decides your own rates. Another admin must do it.');
}
