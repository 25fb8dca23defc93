import { type RawBuilder, sql } from 'kysely';
import { type StandardField } from '../../engine/field-value.js';
import { type FieldSources } from '../../engine/slug.js';
import { comparableText } from '../../kernel/comparable-text.js';
import { isStorable } from '../../platform/database/columns.js';
import { comparableSql } from '../../platform/database/comparable-sql.js';
import { inIndexOrder } from '../../platform/database/in-index-order.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type FieldOption } from './field-definition.js';
import { newestDeals } from './newest-deals.js';

const maxValues = 100;
const maxOptions = 1000;

/** The field slugs that the newest deals have. */
export async function listFieldSlugsOfNewestDeals(tx: Transaction): Promise<string[]> {
  const { rows } = await inIndexOrder(tx, () =>
    sql<{ slug: string }>`
      select distinct slug from ${newestDeals(tx.workspaceId)}, jsonb_object_keys(fields) slug`.execute(tx.db),
  );
  return rows.map(({ slug }) => slug);
}

/** The slugs that some deal of the workspace has, in one scan of all deals. */
export async function slugsThatDealsHave(tx: Transaction, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  const possible = slugs.filter(isStorable);
  if (possible.length === 0) return new Set();
  const { rows } = await sql<{ slug: string }>`
    select distinct slug from deals, unnest(${possible}::text[]) slug
    where workspace_id = ${tx.workspaceId} and jsonb_exists_any(fields, ${possible}::text[])
      and jsonb_exists(fields, slug)`.execute(tx.db);
  return new Set(rows.map(({ slug }) => slug));
}

const standardColumns: Readonly<Record<StandardField, string>> = {
  dealAmount: 'amount',
  dealStage: 'stage',
  closeDate: 'close_date',
  dealName: 'name',
  ownerId: 'owner_id',
  currency: 'currency',
  createdDate: 'created_date',
};

/** The value as the engine reads it: the first source that has one. */
function presentValue({ keys, standard }: FieldSources): RawBuilder<unknown> {
  const present = keys.filter(isStorable).map((key) => {
    const value = sql`fields -> ${key}::text`;
    return sql`nullif(nullif(nullif(${value}, 'null'), '""'), '[]')`;
  });
  const column = standard === null ? [] : [sql`to_jsonb(${sql.ref(standardColumns[standard])})`];
  return sql`coalesce(${sql.join([...present, ...column, sql`null::jsonb`])})`;
}

/** Rows of text; each part of a multi-select is a row. */
function selectTexts(sources: FieldSources, deals: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select btrim(part.text) as text from (select ${presentValue(sources)} as value from ${deals}) found,
    jsonb_array_elements_text(
      case jsonb_typeof(found.value) when 'array' then found.value else jsonb_build_array(found.value) end
    ) as part (text)
    where found.value is not null`;
}

/** The distinct values of the newest deals in alphabetical order; each part of a multi-select is a value. */
export async function listStoredValues(tx: Transaction, sources: FieldSources): Promise<FieldOption[]> {
  const { rows } = await inIndexOrder(tx, () =>
    sql<{ text: string }>`
      select text from (${selectTexts(sources, newestDeals(tx.workspaceId))}) texts where text <> ''
      group by text order by lower(text) collate "C", text collate "C" limit ${maxOptions}`.execute(tx.db),
  );
  return rows.map(({ text }) => ({ label: text, value: text }));
}

/** The most frequent values of the newest deals, at most 100. */
export async function listValuesOfNewestDeals(tx: Transaction, sources: FieldSources): Promise<string[]> {
  const { rows } = await inIndexOrder(tx, () =>
    sql<{ text: string }>`
      select text from (${selectTexts(sources, newestDeals(tx.workspaceId))}) texts where text <> ''
      group by text order by count(*) desc, text collate "C" limit ${maxValues}`.execute(tx.db),
  );
  return rows.map(({ text }) => text);
}

/** The values that some deal of the workspace has, as comparable texts, in one scan of all deals. */
export async function valuesThatDealsHave(
  tx: Transaction,
  sources: FieldSources,
  values: readonly string[],
): Promise<ReadonlySet<string>> {
  const possible = values.filter(isStorable).map(comparableText);
  if (possible.length === 0) return new Set();
  const all = sql`(select * from deals where workspace_id = ${tx.workspaceId} and deleted_at is null) deals`;
  const { rows } = await sql<{ text: string }>`
    select distinct ${comparableSql(sql`text`)} as text from (${selectTexts(sources, all)}) texts
    where ${comparableSql(sql`text`)} = any(${possible}::text[])`.execute(tx.db);
  return new Set(rows.map(({ text }) => text));
}
