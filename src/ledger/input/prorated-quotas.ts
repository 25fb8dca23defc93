import { sql } from 'kysely';
import { type EffectiveQuota, type WeightedDays } from '../../engine/effective-quota.js';
import { attainmentKey } from '../../engine/plan-config.js';
import { PlanQuotas } from '../../engine/plan-quotas.js';
import { computeStretches } from '../../engine/version-timeline.js';
import { type DayRange, overlap } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import {
  assignedDays,
  calendarOf,
  loadTerms,
  payingVersions,
  quotaFinder,
  type RepTerms,
  type StoredVersion,
  workingTimeInput,
} from './rep-terms.js';

interface QuotaKey {
  readonly repId: string;
  readonly planId: string;
  /** The attainment key. */
  readonly measure: string;
  readonly period: string;
}

/** A quota whose targets the days of its period change. */
export interface ProratedQuota extends Required<EffectiveQuota> {
  /** The days of the period in stretches of equal weight. */
  readonly days: readonly WeightedDays[];
}

/**
 * The targets that count for each of the quotas, under the last version of its period that counts towards it; null for a
 * quota that counts as it is stored, or that the person has without the plan. A workspace without prorated rules costs one look-up.
 */
export async function loadProratedQuotas(
  tx: Transaction,
  quotas: readonly QuotaKey[],
): Promise<(ProratedQuota | null)[]> {
  if (quotas.length === 0 || !(await hasProration(tx))) return quotas.map(() => null);
  const repIds = [...new Set(quotas.map(({ repId }) => repId))];
  const terms = new Map((await loadTerms(tx, repIds)).map((ofRep) => [ofRep.repId, ofRep]));
  return quotas.map((quota) => prorate(terms.get(quota.repId) as RepTerms, quota));
}

async function hasProration(tx: Transaction): Promise<boolean> {
  const { rows } = await sql`
    select from plan_rules where workspace_id = ${tx.workspaceId}
      and definition ->> 'quotaProration' in ('calendar_days', 'whole_months') limit 1`.execute(tx.db);
  return rows.length > 0;
}

function prorate(terms: RepTerms, { planId, measure, period }: QuotaKey): ProratedQuota | null {
  const calendar = calendarOf(terms);
  const range = calendar.findRange(period);
  if (range === null) return null;
  const timeline = payingVersions(terms.versions.filter((version) => version.planId === planId));
  const rule = findLastRule(timeline, range, measure);
  if (rule === undefined) return null;
  const input = { quota: quotaFinder(terms.quotas), ...workingTimeInput(terms), calendar };
  const quotas = new PlanQuotas(input, { planId, assignments: assignedDays(terms, planId), versions: [] });
  const quota = quotas.findQuota({ rule, key: measure }, period);
  const days = quotas.listDays(period);
  if (quota?.proration === undefined || days.every(({ because }) => because === 'not_assigned')) return null;
  return { ...quota, proration: quota.proration, isFixed: false, days };
}

/** The rule with the attainment key in the last version that has one and is in force on a day of the range. */
function findLastRule(timeline: readonly StoredVersion[], range: DayRange, measure: string) {
  const inForce = computeStretches(timeline).filter(({ from, to }) =>
    overlap({ from: from ?? range.from, to: to ?? range.to }, range),
  );
  return inForce
    .flatMap(({ planVersionId }) => timeline.filter((version) => version.planVersionId === planVersionId))
    .flatMap(({ rules }) => rules.filter((rule) => attainmentKey(rule) === measure))
    .at(-1);
}
