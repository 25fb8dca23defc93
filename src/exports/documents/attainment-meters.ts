import { Decimal } from '../../kernel/decimal.js';
import { type Period, periodRange } from '../../kernel/period.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { traceOf } from './rule-explanations.js';
import { type RuleTerms, type StatementFacts } from './statement-facts.js';

/** How far a measure has come in its period: as of the statement, not as of today. */
export interface Meter {
  readonly measure: string;
  readonly period: Period;
  readonly target: Decimal;
  readonly credit: Decimal;
  /** A ratio; 1 is the target. */
  readonly attainment: Decimal;
  /** Thresholds of the tiers as ratios, with their names. */
  readonly tiers: readonly { readonly threshold: Decimal; readonly name: string | null }[];
}

/** From the last line of each measure; quotas that no line counted towards are told where that cannot have changed since. */
export function metersOf({
  content,
  rules,
  quotas,
  head,
  key,
}: Pick<StatementFacts, 'content' | 'rules' | 'quotas' | 'head' | 'key'>): Meter[] {
  const meters = new Map<string, Meter>();
  for (const line of content.lines) {
    const meter = meterOfLine(line, rules.get(line.ruleId ?? '') ?? null);
    if (meter === null) continue;
    const id = idOf(line.planId, meter.measure, meter.period);
    // A rule without tiers by attainment counts towards the same key; the marks are those of one that has them.
    const known = meters.get(id);
    meters.set(id, meter.tiers.length > 0 || known === undefined ? meter : { ...meter, tiers: known.tiers });
  }
  for (const quota of quotas) {
    const id = idOf(quota.planId, quota.measure, quota.period);
    const ended = periodRange(quota.period).to <= periodRange(key.period).to;
    if (meters.has(id) || (head?.status === 'approved' && !ended)) continue;
    const [target, credit] = [Decimal.of(quota.target), Decimal.of(quota.credit)];
    if (target.isZero()) continue;
    meters.set(id, {
      measure: quota.measure,
      period: quota.period,
      target,
      credit,
      attainment: credit.dividedBy(target),
      tiers: [],
    });
  }
  return [...meters.values()];
}

function idOf(planId: string | null, measure: string, period: Period): string {
  return `${planId}|${measure}|${period}`;
}

/** Lines come in close order, so the last one of a measure stands where the measure stood. */
function meterOfLine(line: StatementLine, terms: RuleTerms | null): Meter | null {
  const trace = traceOf(line);
  if (terms === null || trace === null || trace.target === null || trace.target === 0) return null;
  const [target, credit] = [Decimal.of(trace.target), Decimal.of(trace.after)];
  const byAttainment = terms.rule.tierBy === 'attainment' && terms.tiers.length > 1;
  return {
    measure: terms.key,
    period: line.period,
    target,
    credit,
    attainment: credit.dividedBy(target),
    tiers: byAttainment ? terms.tiers.map(({ threshold, name }) => ({ threshold, name })) : [],
  };
}

/** The highest tier whose threshold has been reached. */
export function tierReached({ attainment, tiers }: Meter): string | null {
  const reached = tiers.filter((tier) => !attainment.isLessThan(tier.threshold)).at(-1);
  return reached === undefined ? null : (reached.name ?? `Tier ${tiers.indexOf(reached) + 1}`);
}
