import { Decimal } from '../kernel/decimal.js';
import { type CompiledRule } from './compiled-plan.js';
import { asNumber } from './field-value.js';
import { type UpstreamEvent } from './model.js';
import { type Quota } from './payout.js';
import { type Deal, type ReadField } from './slug.js';

/** The value that the rate multiplies on a deal; null if it is missing. */
export function baseOf(
  rule: CompiledRule,
  deal: Deal,
  measure: Decimal,
  inputs: readonly UpstreamEvent[],
  quota: Quota | null,
): Decimal | null {
  const { payoutBase, executionPhase } = rule.rule;
  if (payoutBase === undefined) return executionPhase === 'cascade' ? total(inputs) : measure;
  if (payoutBase === 'variable_target') return quota?.variableTarget ?? null;
  return rule.readBase === null ? Decimal.one : asNumber(rule.readBase(deal));
}

/** The credit of the deal; missing credit fields count as 0. */
export function creditOf(rule: CompiledRule, deal: Deal, measure: Decimal): Decimal {
  if (rule.credits === null) return measure;
  let credit = Decimal.zero;
  for (const { read, weight } of rule.credits)
    credit = credit.plus((asNumber(read(deal)) ?? Decimal.zero).times(weight));
  return credit;
}

/** The events of reps below that a cascade rule pays on; with currency null, of any currency. */
export function upstreamOf(
  rule: CompiledRule,
  upstream: readonly UpstreamEvent[],
  currency: string | null,
): UpstreamEvent[] {
  const { dependsOn = '_total' } = rule.rule;
  return upstream.filter(
    (event) =>
      (currency === null || event.currency === currency) &&
      (dependsOn === '_total'
        ? event.phase === 'per_deal'
        : event.phase !== 'periodic' && event.ruleName === dependsOn),
  );
}

export function sumOf(deals: readonly Deal[], read: ReadField): Decimal {
  return deals.reduce((sum, deal) => sum.plus(asNumber(read(deal)) ?? Decimal.zero), Decimal.zero);
}

/** The base of a periodic rule, over all deals of its period. */
export function periodicBase(
  rule: CompiledRule,
  deals: readonly Deal[],
  measure: Decimal,
  quota: Quota | null,
): Decimal | null {
  const { payoutBase } = rule.rule;
  if (payoutBase === undefined) return measure;
  if (payoutBase === 'variable_target') return quota?.variableTarget ?? null;
  return rule.readBase === null ? Decimal.one : sumOf(deals, rule.readBase);
}

export function periodicCredit(rule: CompiledRule, deals: readonly Deal[], measure: Decimal): Decimal {
  if (rule.credits === null) return measure;
  return rule.credits.reduce((sum, { read, weight }) => sum.plus(sumOf(deals, read).times(weight)), Decimal.zero);
}

function total(events: readonly UpstreamEvent[]): Decimal {
  return events.reduce((sum, event) => sum.plus(event.amount), Decimal.zero);
}
