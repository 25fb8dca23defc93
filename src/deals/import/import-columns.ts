import { sql } from 'kysely';
import { type StandardField, standardFields } from '../../engine/field-value.js';
import { fieldsIn } from '../../engine/formula.js';
import { usualSlugs } from '../../engine/standard-slugs.js';
import { inParallel } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type DealTerms } from '../deal.js';
import { listNativeSlugs } from '../fields/field-definition-views.js';

/** Columns that are properties of the deal and not fields. */
export const namedColumns = ['repId', 'ownerEmail', 'sourceUpdatedAt'] as const;

/** The known columns of a workspace's deal files. */
export interface ImportColumns {
  /** Slugs that a mapping, a plan, the CRM or stored deals name. */
  readonly slugs: readonly string[];
  /** Slugs whose values are amounts or measures. */
  readonly numeric: ReadonlySet<string>;
  readonly amounts: ReadonlySet<string>;
  readonly closeDates: ReadonlySet<string>;
  readonly createdDates: ReadonlySet<string>;
  /** Slugs that stay texts, whatever their values look like. */
  readonly texts: ReadonlySet<string>;
}

export async function loadImportColumns(tx: Transaction, terms: DealTerms): Promise<ImportColumns> {
  const [planned, native, mapping] = await inParallel(
    () => plannedSlugs(tx),
    () => listNativeSlugs(tx),
    () =>
      tx.db
        .selectFrom('workspaces')
        .select('field_mapping')
        .where('workspace_id', '=', tx.workspaceId)
        .executeTakeFirstOrThrow(),
  );
  const measures = Object.values(mapping.field_mapping.measures ?? {});
  const findSlugs = (name: StandardField): readonly string[] => {
    const mapped = terms.standard[name];
    return mapped === undefined ? usualSlugs[name] : [mapped];
  };
  const amounts = new Set(findSlugs('dealAmount'));
  const slugs = [...standardFields.flatMap(findSlugs), ...measures, ...planned.every, ...native];
  return {
    slugs: [...new Set(slugs)],
    numeric: new Set([...amounts, ...measures, ...planned.numeric]),
    amounts,
    closeDates: new Set(findSlugs('closeDate')),
    createdDates: new Set(findSlugs('createdDate')),
    texts: new Set([
      ...(['dealStage', 'dealName', 'ownerId', 'currency'] as const).flatMap(findSlugs),
      ...planned.texts,
    ]),
  };
}

/** Slugs that the plans of the workspace read, and those among them that must be numbers. */
async function plannedSlugs(tx: Transaction): Promise<Record<'every' | 'numeric' | 'texts', string[]>> {
  const { rows } = await sql<{ slug: string; numeric: boolean; dated: boolean }>`
    with rules as (select definition as d from plan_rules where workspace_id = ${tx.workspaceId}),
    versions as (select deal_conditions as c from plan_versions where workspace_id = ${tx.workspaceId}),
    conditions as (
      select c from (
        select jsonb_array_elements(c) as c from versions
        union all select jsonb_array_elements(d -> 'conditions') from rules where jsonb_typeof(d -> 'conditions') = 'array'
      ) top
      union all
      select jsonb_array_elements(t.c -> 'rules') from (
        select jsonb_array_elements(c) as c from versions
        union all select jsonb_array_elements(d -> 'conditions') from rules where jsonb_typeof(d -> 'conditions') = 'array'
      ) t where jsonb_typeof(t.c -> 'rules') = 'array'
    ),
    slugs as (
      select unnest(array[d ->> 'measure', d ->> 'quotaMeasure', d ->> 'payoutBase', d ->> 'tierValueField']) as slug, true as numeric, false as dated from rules
      union all
      select credit ->> 'field', true, false from rules, jsonb_array_elements(d -> 'quotaCredit') credit
      where jsonb_typeof(d -> 'quotaCredit') = 'array'
      union all
      select c ->> 'field', c ->> 'fieldType' in ('number', 'currency'), c ->> 'fieldType' in ('date', 'timestamp') from conditions
    )
    select slug, bool_or(numeric) as numeric, bool_or(dated) as dated from slugs
    where slug is not null and slug not in ('variable_target', '1', '_deals', '_earned') group by slug`.execute(tx.db);
  const read = rows.flatMap(({ slug, ...kinds }) => fieldsIn(slug).map((field) => ({ slug: field, ...kinds })));
  const slugsOf = (chosen: typeof read) => chosen.map(({ slug }) => slug);
  return {
    every: slugsOf(read),
    numeric: slugsOf(read.filter(({ numeric }) => numeric)),
    texts: slugsOf(read.filter(({ numeric, dated }) => !numeric && !dated)),
  };
}
