import { type PlanTerms } from '../engine/plan-config.js';
import { type PlanFx } from '../engine/plan-fx.js';
import { type SlugMapping } from '../engine/slug.js';
import { type Clock } from '../kernel/clock.js';
import { currentDay, type Day, type DayRange, earliestDay, intersection, latestDay } from '../kernel/day.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { canonicalFieldMapping } from '../ledger/input/field-mapping.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { tablesWithoutDefault, unknownLineFields } from './line-warnings.js';
import { type PlanVersion, planTerms } from './plan.js';
import {
  collectUnknownFieldWarnings,
  collectUnknownValueWarnings,
  countAssignedReps,
  countOpenEvents,
  findMissingQuotas,
} from './plan-evidence-views.js';
import { listFieldReferences, listLineReferences, listValueReferences } from './plan-references.js';
import {
  checkTerms,
  fiscalYearWarnings,
  listNeededQuotas,
  type PlanWarning,
  quotaMissingWarning,
  restatementWarning,
  unassignedWarning,
} from './plan-warnings.js';
import { collectRateWarnings } from './rate-warnings.js';

/** A stored plan version, or a config that has not been saved. */
interface CheckedPlan {
  readonly config: unknown;
  readonly terms: PlanTerms;
  readonly fieldMapping: SlugMapping;
  /** Null for the currency of the workspace. */
  readonly currency: string | null;
  readonly fx: PlanFx | null;
}

async function collectTableWarnings(tx: Transaction, terms: PlanTerms): Promise<PlanWarning[]> {
  if (!terms.rules.some(({ tiers }) => tiers.some(({ table }) => table !== undefined))) return [];
  return tablesWithoutDefault(terms, (await loadWorkspaceTerms(tx)).tables);
}

/** Warnings about the terms alone and about how they fit the workspace's deals. */
export async function collectTermWarnings(
  tx: Transaction,
  { config, terms, fieldMapping, currency, fx }: CheckedPlan,
): Promise<PlanWarning[]> {
  const fields = listFieldReferences(config, terms, fieldMapping);
  return [
    ...checkTerms(config, terms),
    ...(await collectUnknownFieldWarnings(tx, fields, fieldMapping)),
    ...(await collectUnknownValueWarnings(tx, listValueReferences(terms), fieldMapping)),
    ...(await collectRateWarnings(tx, { terms, currency, fx })),
    ...(await unknownLineFields(tx, listLineReferences(config, terms))),
    ...(await collectTableWarnings(tx, terms)),
  ];
}

/**
 * Warnings about missing assignments and missing quotas; quotas are checked for every period that overlaps
 * `quotaDays`, for the reps or, without a restriction, for everyone on the plan.
 */
export async function collectCoverageWarnings(
  tx: Transaction,
  planId: string,
  terms: PlanTerms,
  days: DayRange,
  { quotaDays, repIds = null }: { readonly quotaDays: DayRange; readonly repIds?: readonly string[] | null },
): Promise<PlanWarning[]> {
  if ((await countAssignedReps(tx, planId, days)) === 0) return [unassignedWarning()];
  const calendar = await loadCalendar(tx);
  const warnings: PlanWarning[] = fiscalYearWarnings(terms, calendar, quotaDays);
  for (const needed of listNeededQuotas(terms))
    for (const period of calendar.periodsTouching(quotaDays, needed.kind, needed.calendar)) {
      const covered = intersection(calendar.range(period), days);
      const search = { ...needed, period, days: covered };
      const { assigned, missing } = await findMissingQuotas(tx, planId, search, repIds);
      const names = missing.map(({ name }) => name);
      if (names.length > 0) warnings.push(quotaMissingWarning(needed, period, { missing: names, assigned }));
    }
  return warnings;
}

/** A plan that is not stored has no quotas, so every needed quota is missing. */
export async function collectUnsavedWarnings(
  tx: Transaction,
  terms: PlanTerms,
  days: DayRange,
  reps: number,
): Promise<PlanWarning[]> {
  const calendar = await loadCalendar(tx);
  const missing = listNeededQuotas(terms).flatMap((needed) =>
    calendar
      .periodsTouching(days, needed.kind, needed.calendar)
      .map((period) => quotaMissingWarning(needed, period, { missing: reps, assigned: reps })),
  );
  return [...fiscalYearWarnings(terms, calendar, days), ...missing];
}

/** Every warning about a version that was just written, except those about recalculated events. */
export async function collectVersionWarnings(
  tx: Transaction,
  version: PlanVersion,
  clock: Clock,
): Promise<PlanWarning[]> {
  const workspace = await loadWorkspaceTerms(tx);
  const terms = planTerms(version.config);
  const { config, currency, fx = null, fieldMapping } = version;
  const plan = { config, terms, currency, fx, fieldMapping: canonicalFieldMapping(fieldMapping) };
  return collectWarnings(tx, version, plan, currentDay(workspace, clock.now()));
}

/** Every warning about a version that may not be stored yet, except those about recalculated events. */
export async function collectWarnings(
  tx: Transaction,
  { planId, effectiveStart, effectiveEnd }: Pick<PlanVersion, 'planId' | 'effectiveStart' | 'effectiveEnd'>,
  plan: CheckedPlan,
  today: Day,
): Promise<PlanWarning[]> {
  const days = coveredDays(effectiveStart, effectiveEnd);
  const day = today < days.from ? days.from : today > days.to ? days.to : today;
  return [
    ...(await collectTermWarnings(tx, plan)),
    ...(await collectCoverageWarnings(tx, planId, plan.terms, days, { quotaDays: { from: day, to: day } })),
  ];
}

/** Warns how many events a change of the plan recalculates. Call it before the change is committed. */
export async function collectRestatementWarnings(
  tx: Transaction,
  planId: string,
  { from, to }: DayRange,
): Promise<PlanWarning[]> {
  const events = await countOpenEvents(tx, planId, from, to);
  return events === 0 ? [] : [restatementWarning(events, from === earliestDay ? null : from)];
}

/** The days that a version covers; a missing start or end is unbounded. */
function coveredDays(start: Day | null, end: Day | null): DayRange {
  return { from: start ?? earliestDay, to: end ?? latestDay };
}
