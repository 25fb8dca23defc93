import { Decimal, sum } from '../kernel/decimal.js';
import { type CompiledRule } from './compiled-plan.js';
import { type FiringLine } from './count-lines.js';
import { type Share, wholeShare } from './credit-lines.js';
import { type Quota } from './effective-quota.js';
import { asNumber } from './field-value.js';
import { type UpstreamEvent } from './model.js';
import { type Deal, type ReadField, signOfAmount } from './slug.js';

/** The number in a field: of one deal, or the sum over the deals of a periodic rule. Null if it is missing. */
export type ReadNumber = (field: ReadField) => Decimal | null;

/** Reads numbers of deals. Keeps the last one with its text, since most rules of a plan read the same field. */
export class NumberReader {
  private deal: Deal | null = null;
  private field: ReadField | null = null;
  private number: Decimal | null = null;

  read(field: ReadField, deal: Deal): Decimal | null {
    if (deal !== this.deal || field !== this.field) {
      this.deal = deal;
      this.field = field;
      this.number = asNumber(field(deal));
    }
    return this.number;
  }
}

/**
 * The value that the rate multiplies; `usual` without a `payoutBase`. Null if it is missing. A credit note takes back
 * what has no sign of its own.
 */
export function computeBase(
  rule: CompiledRule,
  usual: Decimal,
  { quota, isCreditNote }: { readonly quota: Quota | null; readonly isCreditNote: boolean },
  readNumber: ReadNumber,
): Decimal | null {
  const { payoutBase } = rule.rule;
  if (payoutBase === undefined) return usual;
  if (rule.readBase !== null) return readNumber(rule.readBase);
  const ofSale = payoutBase === 'variable_target' ? (quota?.variableTarget ?? null) : Decimal.one;
  return isCreditNote && ofSale !== null ? ofSale.negated() : ofSale;
}

/**
 * Whether the deal is a credit note for the rule. A sale with a negative margin is none. The sign of an amount needs no
 * exchange rate.
 */
export function isCreditNote({ readAmount }: CompiledRule, measure: Decimal, deal: Deal): boolean {
  if (measure.sign() > 0) return false;
  const sign = signOfAmount(readAmount, deal);
  return measure.isZero() ? sign < 0 : sign <= 0;
}

/** The credit; missing credit fields count as 0. Of lines it is the sum over the counted ones. */
export function computeCredit(
  { credits }: CompiledRule,
  measure: Decimal,
  readNumber: ReadNumber,
  lines: readonly FiringLine[] | null = null,
): Decimal {
  if (credits === null) return measure;
  const ofDeal = lines === null ? credits : credits.filter(({ isOfLines }) => !isOfLines);
  const ofLines = (lines ?? []).filter(({ reason }) => reason === null).map(({ credit }) => credit);
  return sum([...ofLines, ...ofDeal.map(({ read, weight }) => (readNumber(read) ?? Decimal.zero).times(weight))]);
}

/** The events of reps below that a cascade rule pays on; with currency null, of any currency. */
export function selectUpstream(
  rule: Pick<CompiledRule, 'rule'>,
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

/** A deal of a periodic rule, with the rep's share of it. */
export interface SharedDeal {
  readonly deal: Deal;
  readonly share: Share;
}

/** The sources over which a periodic rule sums a field: its deals, or their matching lines for a field of lines. */
export function summedFields(
  rule: CompiledRule,
  deals: readonly (SharedDeal & { readonly sources?: readonly Deal[] })[],
): (field: ReadField) => readonly SharedDeal[] {
  const { lines } = rule;
  if (lines === null) return () => deals;
  const ofLines = deals.flatMap(({ sources = [], share }) => sources.map((deal) => ({ deal, share })));
  return (field) => (lines.fields.has(field) ? ofLines : deals);
}

/** The sum of a field over the deals, each times the share; missing values count as 0. */
export function sumOver(deals: readonly SharedDeal[], kind: keyof Share, field: ReadField): Decimal {
  return sum(
    deals.map(({ deal, share }) => {
      const value = asNumber(field(deal)) ?? Decimal.zero;
      return share === wholeShare ? value : value.times(share[kind]);
    }),
  );
}

/** The values of a firing times the share. What the people below earned is shared already. */
export function applyShare(
  { rule, measuresEarnings, credits }: CompiledRule,
  values: { readonly measure: Decimal; readonly credit: Decimal; readonly base: Decimal },
  share: Share,
): { readonly measure: Decimal; readonly credit: Decimal; readonly base: Decimal } {
  if (share === wholeShare) return values;
  const isInput = rule.executionPhase === 'cascade' && rule.payoutBase === undefined;
  return {
    measure: measuresEarnings ? values.measure : values.measure.times(share.pay),
    credit: measuresEarnings && credits === null ? values.credit : values.credit.times(share.credit),
    base: isInput ? values.base : values.base.times(share.pay),
  };
}
