import { type RawBuilder, sql } from 'kysely';
import { type FieldType } from '../../engine/condition.js';
import { isAbsent, type StandardField } from '../../engine/field-value.js';
import { standardNamedBy } from '../../engine/standard-slugs.js';
import { inIndexOrder } from '../../platform/database/in-index-order.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listCrmDefinitions } from './crm-field-views.js';
import { type FieldDefinition, standardDefinitions, toLabel } from './field-definition.js';
import { findMapping } from './field-mapping-views.js';
import { newestDeals } from './newest-deals.js';

const maxDefinitions = 5000;
/** A text field with few distinct values, each seen twice or more on average, is a select field. */
const maxChoices = 20;

/**
 * Fields that a plan may use: standard values, fields of the connected CRM, and fields of the newest deals.
 * `scores: false` leaves out fields that only scores have. `lines: true` adds the fields of the lines of these deals.
 */
export async function listDefinitions(
  tx: Transaction,
  { scores = true, lines = false } = {},
): Promise<FieldDefinition[]> {
  const fromCrm = await listCrmDefinitions(tx);
  const ofDeals = await storedDefinitions(tx, everyField(tx.workspaceId, { scores }));
  const found = lines ? [...ofDeals, ...(await storedDefinitions(tx, everyLineField(tx.workspaceId)))] : ofDeals;
  const bySlug = new Map<string, FieldDefinition>();
  for (const definition of [...standardDefinitions, ...fromCrm, ...found])
    if (!bySlug.has(definition.slug)) bySlug.set(definition.slug, definition);
  return [...bySlug.values()];
}

/** The fields of deals by the CRM's slugs: as the CRM defines them, otherwise as the newest deals have them. */
export async function listNativeDefinitions(tx: Transaction): Promise<readonly FieldDefinition[]> {
  const fromCrm = await listCrmDefinitions(tx);
  return fromCrm.length > 0 ? fromCrm : storedDefinitions(tx, everyField(tx.workspaceId));
}

/**
 * The slugs of {@link listNativeDefinitions}, without the types, which are found in the values: that takes four times as
 * long as the names.
 */
export async function listNativeSlugs(tx: Transaction): Promise<readonly string[]> {
  const fromCrm = await listCrmDefinitions(tx);
  if (fromCrm.length > 0) return fromCrm.map(({ slug }) => slug);
  const { rows } = await inIndexOrder(tx, () =>
    sql<{ slug: string }>`
    select slug from (select distinct jsonb_object_keys(fields) as slug from ${newestDeals(tx.workspaceId)}) named
    order by slug collate "C" limit ${maxDefinitions}`.execute(tx.db),
  );
  return rows.map(({ slug }) => slug);
}

/** The field with exactly that slug, as the CRM defines it or the newest deals have it; null if neither has it. */
export async function findNativeDefinition(
  tx: Transaction,
  slug: string,
  fromCrm: readonly FieldDefinition[],
): Promise<FieldDefinition | null> {
  const defined = fromCrm.find((definition) => definition.slug === slug);
  if (defined !== undefined) return defined;
  const [found] = await storedDefinitions(tx, selectField(tx.workspaceId, slug));
  return found ?? null;
}

/** Rows of slug and value, one for each field of a sampled deal. */
type FieldValues = RawBuilder<unknown>;

function everyField(workspaceId: string, of: Parameters<typeof newestDeals>[1] = {}): FieldValues {
  return sql`select key as slug, value from ${newestDeals(workspaceId, of)}, jsonb_each(fields)`;
}

function everyLineField(workspaceId: string): FieldValues {
  return sql`select 'line.' || field.key as slug, field.value
    from ${newestDeals(workspaceId)} join deal_lines l using (workspace_id, deal_id),
      jsonb_each(l.content -> 'fields') field`;
}

function selectField(workspaceId: string, slug: string): FieldValues {
  return sql`select ${slug}::text as slug, fields -> ${slug}::text as value from ${newestDeals(workspaceId)}
    where jsonb_exists(fields, ${slug}::text)`;
}

interface StoredField {
  readonly slug: string;
  readonly type: FieldType;
}

async function storedDefinitions(tx: Transaction, values: FieldValues): Promise<FieldDefinition[]> {
  const { rows } = await inIndexOrder(tx, () =>
    sql<StoredField>`
    with different as (
      select slug, jsonb_typeof(value) as kind, btrim(value #>> '{}') as text, count(*) as times
      from (${values}) found group by 1, 2, 3
    ), classed as (
      select slug, times, case
        when kind = 'array' then 'list'
        when kind = 'null' or text = '' then 'empty'
        when kind = 'boolean' then 'yes or no'
        when kind = 'number' or text ~ ${numberPattern} then 'number'
        when text ~ ${dayPattern} then 'day'
        when text ~ ${instantPattern} then 'instant'
        else 'text' end as class
      from different
    ), seen as (
      select slug, bool_or(class = 'list') as is_list, array_agg(distinct class) filter (where class <> 'empty') as classes,
        count(*) filter (where class <> 'empty') as choices, sum(times) filter (where class <> 'empty') as present
      from classed group by slug
    )
    select slug, case
      when is_list then 'select'
      when classes <@ array['yes or no'] then 'checkbox'
      when classes <@ array['number'] then 'number'
      when classes <@ array['day'] then 'date'
      when classes <@ array['day', 'instant'] then 'timestamp'
      when choices between 1 and ${maxChoices} and present >= 2 * choices then 'select'
      else 'text' end as type
    from seen order by slug collate "C" limit ${maxDefinitions}`.execute(tx.db),
  );
  const { standard } = await findMapping(tx);
  const mappedStage = standard['dealStage' satisfies StandardField];
  const isStage = (slug: string) =>
    isAbsent(mappedStage) ? standardNamedBy(slug) === 'dealStage' : slug === mappedStage;
  return rows.map(({ slug, type }) => ({ slug, label: toLabel(slug), type: isStage(slug) ? 'status' : type }));
}

const numberPattern = '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$';
const day = '[12][0-9]{3}-[01][0-9]-[0-3][0-9]';
const dayPattern = `^${day}$`;
const instantPattern = `^${day}[T ][0-2][0-9]:[0-5][0-9](:[0-9.]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?$`;
