import { sql } from 'kysely';
import { listCrmDefinitions } from '../deals/fields/crm-field-views.js';
import {
  listFieldSlugsOfNewestDeals,
  listValuesOfNewestDeals,
  slugsThatDealsHave,
  valuesThatDealsHave,
} from '../deals/fields/deal-field-views.js';
import { findMapping } from '../deals/fields/field-mapping-views.js';
import { nearestSlugs } from '../deals/fields/nearest-slugs.js';
import { comparable } from '../engine/field-value.js';
import { foldedSlug } from '../engine/folded-slug.js';
import { fieldSources, type SlugMapping } from '../engine/slug.js';
import { standardNamedBy, standardSlugs } from '../engine/standard-slugs.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { mapInSlices } from '../kernel/waiting.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type FieldReference, type ValueReference } from './plan-references.js';
import { type PlanWarning } from './plan-warnings.js';

/** Each compared field can cost a scan of all deals, so only this many fields are checked. */
const maxCheckedFields = 20;

/** Fields that no deal, mapping or field definition of the workspace has. */
export async function collectUnknownFieldWarnings(
  tx: Transaction,
  references: readonly FieldReference[],
  planMapping: SlugMapping,
): Promise<PlanWarning[]> {
  const { standard, measures } = await findMapping(tx);
  const mapped = [planMapping, measures].flatMap((mapping) => Object.keys(mapping));
  const targets = [standard, measures].flatMap((mapping) => Object.values(mapping));
  const named = new Set([...mapped, ...targets]);
  const doubtful = references.filter(({ slug }) => standardNamedBy(slug) === undefined && !named.has(slug));
  if (doubtful.length === 0) return [];
  const defined = (await listCrmDefinitions(tx)).map(({ slug }) => slug);
  const existing = new Set([...named, ...defined, ...(await listFieldSlugsOfNewestDeals(tx))]);
  const inAnyCase = new Set([...existing].map(foldedSlug));
  const missing = doubtful.filter(({ slug }) => !inAnyCase.has(foldedSlug(slug)));
  const older = await slugsThatDealsHave(tx, [...new Set(missing.map(({ slug }) => slug))]);
  const unknown = missing.filter(({ slug }) => !older.has(slug));
  // A large plan names the same field thousands of times.
  const slugs = [...new Set(unknown.map(({ slug }) => slug))];
  const candidates = [...standardSlugs, ...existing];
  const messages = new Map(await mapInSlices(slugs, (slug) => [slug, unknownField(slug, candidates)] as const));
  return unknown.map(({ slug, path }) => ({ code: 'unknown_field', path, message: messages.get(slug) as string }));
}

function unknownField(slug: string, candidates: readonly string[]): string {
  const near = nearestSlugs(slug, candidates);
  const hint = near.length === 0 ? '' : ` Nearest names: ${near.join(', ')}.`;
  return `No deal, mapping or field definition has "${slug}".${hint}`;
}

/** Values that no deal has in the field and that its CRM does not list, for fields with a known list of values. */
export async function collectUnknownValueWarnings(
  tx: Transaction,
  references: readonly ValueReference[],
  planMapping: SlugMapping,
): Promise<PlanWarning[]> {
  if (references.length === 0) return [];
  const { measures } = await findMapping(tx);
  const definitions = await listCrmDefinitions(tx);
  const bySlug = [...groupBy(references, ({ slug }) => slug)].slice(0, maxCheckedFields);
  const warnings: PlanWarning[] = [];
  for (const [slug, ofSlug] of bySlug) {
    const sources = fieldSources(slug, planMapping, measures);
    const inDeals = await listValuesOfNewestDeals(tx, sources);
    const definition = definitions.find((candidate) =>
      sources.standard === 'dealStage' ? candidate.type === 'status' : sources.keys.includes(candidate.slug),
    );
    const listed = (definition?.options ?? []).flatMap(({ label, value }) => [label, value]);
    const existing = [...new Set([...listed, ...inDeals])];
    const missing = ofSlug.filter((reference) => !existing.some((value) => matches(reference, value)));
    const exact = missing.filter(({ partly }) => !partly).map(({ value }) => value);
    const older = existing.length === 0 ? null : await valuesThatDealsHave(tx, sources, exact);
    if (older === null) continue;
    const unknown = missing.filter(({ value }) => !older.has(comparable(value)));
    warnings.push(...unknown.map((reference) => unknownValue(reference, existing)));
  }
  return warnings;
}

function matches({ value, partly }: ValueReference, existing: string): boolean {
  return partly ? comparable(existing).includes(comparable(value)) : comparable(existing) === comparable(value);
}

const maxShownValues = 20;

function unknownValue({ slug, path, value }: ValueReference, existing: readonly string[]): PlanWarning {
  const samples = existing.slice(0, maxShownValues).join(', ');
  const suffix = existing.length > maxShownValues ? `, and ${existing.length - maxShownValues} more` : '';
  const what = standardNamedBy(slug) === 'dealStage' ? 'stage' : `value of "${slug}"`;
  return {
    code: 'unknown_value',
    path,
    message: `No deal has the ${what} "${value}". Existing values: ${samples}${suffix}.`,
  };
}

/** How many reps are assigned to the plan on any of the days. */
export async function countAssignedReps(tx: Transaction, planId: string, days: DayRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct rep_id)::int as count from assignments
    where workspace_id = ${tx.workspaceId} and plan_id = ${planId} and deleted_at is null
      and coalesce(effective_start, '-infinity') <= ${days.to}::date
      and coalesce(effective_end, 'infinity') >= ${days.from}::date`.execute(tx.db);
  return (rows[0] as { count: number }).count;
}

/** The quota to look up: its key and period, for reps who are assigned on the days. */
interface QuotaSearch {
  readonly key: string;
  readonly period: string;
  readonly days: DayRange;
  readonly needsTarget: boolean;
  readonly needsVariableTarget: boolean;
}

export interface MissingQuotas {
  /** Number of active reps who are assigned on the days. */
  readonly assigned: number;
  /** Those of them who lack the quota, by name. A target of 0 counts as missing. */
  readonly missing: readonly { readonly repId: string; readonly name: string }[];
}

/** Which active reps are assigned on the days and lack the quota. `repIds` restricts the reps; null for all. */
export async function findMissingQuotas(
  tx: Transaction,
  planId: string,
  { key, period, days, needsTarget, needsVariableTarget }: QuotaSearch,
  repIds: readonly string[] | null,
): Promise<MissingQuotas> {
  const { rows } = await sql<{ repId: string; name: string; isMissing: boolean }>`
    select rep_id as "repId", name, not exists (
      select from quotas q where q.workspace_id = ${tx.workspaceId} and q.rep_id = reps.rep_id and q.plan_id = ${planId}
        and q.attainment_key = ${key} and q.period = ${period}
        and (q.target > 0 or not ${needsTarget}) and (q.variable_target is not null or not ${needsVariableTarget})
    ) as "isMissing"
    from reps
    where workspace_id = ${tx.workspaceId} and active
      ${repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`} and rep_id in (
      select rep_id from assignments
      where workspace_id = ${tx.workspaceId} and plan_id = ${planId} and deleted_at is null
        and coalesce(effective_start, '-infinity') <= ${days.to}::date
        and coalesce(effective_end, 'infinity') >= ${days.from}::date)
    order by lower(name), rep_id`.execute(tx.db);
  const missing = rows.filter(({ isMissing }) => isMissing).map(({ repId, name }) => ({ repId, name }));
  return { assigned: rows.length, missing };
}

/** Counts the earned events of the plan on the days, outside of approved periods. */
export async function countOpenEvents(tx: Transaction, planId: string, from: Day, to: Day): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from commission_events e
    where e.workspace_id = ${tx.workspaceId} and e.plan_id = ${planId} and e.kind = 'commission_earned'
      and e.status = 'earned' and e.earned_on between ${from} and ${to}
      and e.rep_id in (select rep_id from assignments where workspace_id = ${tx.workspaceId} and plan_id = ${planId})
      and not exists (select from statement_periods s
        where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
          and e.earned_on between s.from_day and s.to_day)`.execute(tx.db);
  return (rows[0] as { count: number }).count;
}
