import { type QuotaRow } from '../../earnings/attainment.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { type ProrationResponse, toProrationResponse } from '../../plans/quotas/proration.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { decodeLineTrace } from './rule-explanations.js';
import { quotaKey, type RuleTerms, type StatementFacts } from './statement-facts.js';

/** The attainment of a measure in its period, as of the statement and not as of today. */
export interface Meter {
  readonly planId: string | null;
  readonly measure: string;
  readonly period: Period;
  readonly target: Decimal;
  /** How the days of the period changed the target; null if they did not. */
  readonly proration: ProrationResponse | null;
  readonly credit: Decimal;
  /** A ratio; 1 is the target. */
  readonly attainment: Decimal;
  /** Thresholds of the tiers as ratios, with their names. */
  readonly tiers: readonly { readonly threshold: Decimal; readonly name: string | null }[];
}

/**
 * The meters come from the last line of each measure. What was approved stays: only of a draft, and of a version that a
 * true-up has corrected, the credit is that of the quota at the end of the period. Quotas that no line counted towards are added unless the statement is approved
 * and their period has not ended, because their credit may have changed since.
 */
export function buildMeters(
  facts: Pick<StatementFacts, 'content' | 'rules' | 'quotas' | 'head' | 'key' | 'days' | 'calendar'>,
): Meter[] {
  const { content, rules, quotas } = facts;
  const meters = new Map<string, Meter>();
  for (const line of content.lines) {
    const meter = toLineMeter(line, rules.get(line.ruleId ?? '') ?? null);
    if (meter === null) continue;
    const id = meterId(meter);
    // A rule without attainment tiers counts towards the same key, so the tiers of the other rule are shown.
    const previous = meters.get(id);
    meters.set(id, meter.tiers.length > 0 || previous === undefined ? meter : { ...meter, tiers: previous.tiers });
  }
  for (const quota of quotas) {
    const id = meterId(quota);
    const found = meters.get(id);
    const meter = found === undefined ? toQuotaMeter(quota, facts) : withCredit(found, quota, facts);
    if (meter !== null) meters.set(id, meter);
  }
  return [...meters.values()];
}

/** Whether the version is approved as it was calculated. */
function isFinal({ head, content, key }: Pick<StatementFacts, 'head' | 'content' | 'key'>): boolean {
  const isCorrected = content.lines.some(
    ({ kind, sourcePeriod = key.period }) => kind === 'true_up' && sourcePeriod === key.period,
  );
  return head?.status === 'approved' && !isCorrected;
}

/** A quota that no line of the statement counted towards. */
function toQuotaMeter(
  quota: QuotaRow,
  { head, days, calendar }: Pick<StatementFacts, 'head' | 'days' | 'calendar'>,
): Meter | null {
  const hasEnded = calendar.range(quota.period).to <= days.to;
  const target = Decimal.of(quota.target);
  if (quota.credit === null || target.isZero() || (head?.status === 'approved' && !hasEnded)) return null;
  const credit = Decimal.of(quota.credit);
  const { planId, measure, period } = quota;
  const proration = quota.proration === undefined ? null : toProrationResponse(quota.proration);
  return { planId, measure, period, target, proration, credit, attainment: credit.dividedBy(target), tiers: [] };
}

function withCredit(meter: Meter, quota: QuotaRow, facts: Pick<StatementFacts, 'head' | 'content' | 'key'>): Meter {
  if (quota.credit === null || isFinal(facts)) return meter;
  const credit = Decimal.of(quota.credit);
  return { ...meter, credit, attainment: credit.dividedBy(meter.target) };
}

function meterId(meter: Pick<Meter, 'planId' | 'measure' | 'period'>): string {
  return `${quotaKey(meter)}|${meter.period}`;
}

/** Lines are ordered by close date, so the last line of a measure has its final attainment. */
function toLineMeter(line: StatementLine, terms: RuleTerms | null): Meter | null {
  const trace = decodeLineTrace(line);
  if (terms === null || trace === null || trace.target === null || trace.target === 0) return null;
  const [target, credit] = [Decimal.of(trace.target), Decimal.of(trace.after)];
  const byAttainment = terms.rule.tierBy === 'attainment' && terms.tiers.length > 1;
  return {
    planId: line.planId,
    measure: terms.key,
    period: line.period,
    target,
    proration: trace.proration ?? null,
    credit,
    attainment: credit.dividedBy(target),
    tiers: byAttainment ? terms.tiers.map(({ threshold, name }) => ({ threshold, name })) : [],
  };
}

/** The highest tier whose threshold is reached. */
export function tierReached({ attainment, tiers }: Meter): string | null {
  const reached = tiers.filter((tier) => !attainment.isLessThan(tier.threshold)).at(-1);
  return reached === undefined ? null : (reached.name ?? `Tier ${tiers.indexOf(reached) + 1}`);
}
