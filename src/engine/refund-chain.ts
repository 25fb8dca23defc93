import { addTo } from '../kernel/add-to.js';
import { type Day } from '../kernel/day.js';
import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import {
  type ClawbackPolicy,
  elapsedDays,
  inOrder,
  quotient,
  type Refund,
  refundKey,
  shareTakenBack,
  waivedShare,
} from './clawback.js';
import { type IdentifiedRule, type RefundTerms } from './compiled-plan.js';
import { type LineShares, type RefundedLine, shareLinesTaken } from './line-shares.js';
import { type UpstreamEvent } from './model.js';
import { inputName, pairInputs } from './pair-inputs.js';
import { type Deal } from './slug.js';
import { type CascadeInput, type Reason } from './trace.js';

/** The part of a deal that a refund gives back. */
export interface RefundedPart {
  readonly refund: Refund;
  readonly refunded: Decimal;
  /** What earlier refunds left of the deal. */
  readonly rest: Decimal;
  /** The amount of the deal; 1 if it is 0 or absent. */
  readonly of: Decimal;
  /** Earlier refunds left less than this one's amount. */
  readonly isLimited: boolean;
}

/** What each refund of a deal gives back, in the order in which they count. */
export function measureRefunds(refunds: readonly Refund[], dealAmount: Decimal | null): readonly RefundedPart[] {
  if (dealAmount !== null && dealAmount.sign() < 0) return [];
  const hasAmount = dealAmount !== null && !dealAmount.isZero();
  const total = hasAmount ? dealAmount : Decimal.one;
  let rest = total;
  return inOrder(refunds).map((refund) => {
    const requested = requestedAmount(refund, rest, hasAmount);
    const refunded = requested.isLessThan(rest) ? requested : rest;
    const part = {
      refund,
      refunded,
      rest,
      of: total,
      isLimited: refund.amount !== null && refunded.isLessThan(requested),
    };
    rest = rest.minus(refunded);
    return part;
  });
}

/** Null means the whole rest. Of a deal without an amount, a refund of an amount takes nothing. */
function requestedAmount({ amount }: Refund, rest: Decimal, hasAmount: boolean): Decimal {
  if (amount === null) return rest;
  return hasAmount ? Decimal.of(amount) : Decimal.zero;
}

/** An event that is counted for a deal, as its refunds take it back. */
export interface ChainSource {
  readonly repId: string;
  readonly deal: Deal;
  readonly terms: RefundTerms;
  readonly earnedOn: Day;
  readonly credit: Decimal;
  /** The amount of the deal from which the event was calculated. */
  readonly dealAmount: Decimal | null;
  /** The counted lines; null for an event without lines, and for a manager's, which follows its inputs. */
  readonly lines: readonly RefundedLine[] | null;
  /** The events of people below that a manager's event follows. The key is of the deal or of one of its refunds. */
  below(dealKey: string): readonly UpstreamEvent[];
}

/** One refund as it takes back an event, or the reason why it does not. */
export interface ChainLink {
  readonly part: RefundedPart;
  readonly dealKey: string;
  readonly day: Day;
  /** Null if the refund takes something back. */
  readonly reason: Reason | null;
  /** Of the policy of the rule; null for a cascade, which follows its inputs. */
  readonly window: { readonly from: Day; readonly elapsed: number; readonly share: Decimal } | null;
  readonly waived: Decimal;
  readonly countsCredit: boolean;
  readonly credit: Decimal;
  /** What it takes of each line; null for an event without lines. */
  readonly lineShares: LineShares | null;
}

/** What an event pays, which may be calculated after its refunds were linked. */
export interface SourcePay {
  readonly amount: Decimal;
  /** What the cap cut off. */
  readonly cutOff: Decimal;
  readonly inputs: readonly CascadeInput[] | null;
  /** The raw amounts of the counted lines, by id; null for an event without lines. */
  readonly lines: ReadonlyMap<string, Decimal> | null;
}

/** The refunds of the deal of one event, in their order. */
export function linkRefunds(source: ChainSource): ChainLink[] {
  const { deal, dealAmount, lines } = source;
  const parts = measureRefunds(deal.refunds ?? [], dealAmount);
  const shares = lines === null ? [] : shareLinesTaken(parts, lines);
  return parts.map((part, index) => linkOf(source, part, shares[index] ?? null));
}

function linkOf(source: ChainSource, part: RefundedPart, lineShares: LineShares | null): ChainLink {
  const { deal, earnedOn, repId, terms } = source;
  const { refund } = part;
  const isCascade = terms.rule.executionPhase === 'cascade';
  const dealKey = refundKey(deal.dealId, refund.refundId);
  const day = refund.day > earnedOn ? refund.day : earnedOn;
  const waived = waivedShare(refund, repId, !isCascade);
  const link = { part, dealKey, day, waived, lineShares };
  const nothing = { ...link, window: null, countsCredit: false, credit: Decimal.zero };
  if (isExempt(terms.rule)) return { ...nothing, reason: 'no_clawback_policy' };
  if (isCascade) return { ...nothing, ...followBelow(source, part, dealKey) };
  const policy = terms.rule.clawback;
  if (policy === undefined || policy === null || policy.causes?.includes(refund.cause) === false)
    return { ...nothing, reason: 'no_clawback_policy' };
  if (refund.lines !== undefined && lineShares?.size === 0) return { ...nothing, reason: 'no_line' };
  const from = terms.readWindowDay?.(deal) ?? earnedOn;
  const elapsed = elapsedDays(from, day);
  const share = shareTakenBack(policy, elapsed);
  if (share === null) return { ...nothing, reason: 'outside_clawback_window' };
  const credit = creditOf(source, part, countsCredit(policy), lineShares);
  return { ...link, reason: null, window: { from, elapsed, share }, ...credit };
}

/** Bonuses of a period, and what is paid for a period, belong to no deal. */
function isExempt({ payoutMode, executionPhase, clawback }: IdentifiedRule): boolean {
  return (
    payoutMode === 'flat_per_tier' ||
    payoutMode === 'stepped_bonus' ||
    executionPhase === 'periodic' ||
    clawback === null
  );
}

function countsCredit({ credit = 'refund_period' }: ClawbackPolicy): boolean {
  return credit === 'refund_period';
}

/** A manager gives back where someone below does. */
function followBelow(
  source: ChainSource,
  part: RefundedPart,
  dealKey: string,
): Pick<ChainLink, 'reason'> & Partial<ChainLink> {
  const events = source.below(dealKey);
  if (events.length === 0) return { reason: 'no_clawback_policy' };
  return { reason: null, ...creditOf(source, part, events.some(losesCredit)) };
}

/** `share` of a refund's event has two decimals, of credit and pay. The first is negative if the refund takes credit. */
function losesCredit({ share }: UpstreamEvent): boolean {
  return share?.startsWith('-') === true;
}

function creditOf(
  { credit, lines }: ChainSource,
  { refunded, of }: RefundedPart,
  counts: boolean,
  lineShares: LineShares | null = null,
): Pick<ChainLink, 'countsCredit' | 'credit'> {
  if (!counts) return { countsCredit: false, credit: Decimal.zero };
  // Each line loses its own share of its credit. The rest of the credit loses the refunded part of the deal.
  const counted = lineShares === null ? [] : (lines ?? []);
  const ofDeal = credit.minus(sum(counted.map((line) => line.credit)));
  const ofLines = counted.map((line) => line.credit.times(lineShares?.get(line.lineId) ?? Decimal.zero));
  return { countsCredit: true, credit: sum([quotient(ofDeal.times(refunded), of), ...ofLines]).negated() };
}

/** The share of the event that each refund takes back; their sum is never more than 1. */
export function sharesTaken(source: ChainSource, links: readonly ChainLink[], pay: SourcePay): Decimal[] {
  let taken = Decimal.zero;
  return rawSharesTaken(source, links, pay).map((share) => {
    const before = taken;
    taken = minimum(maximum(before.plus(share), Decimal.zero), Decimal.one);
    return taken.minus(before);
  });
}

function rawSharesTaken(source: ChainSource, links: readonly ChainLink[], { inputs, lines }: SourcePay): Decimal[] {
  const paid = lines === null ? Decimal.zero : sum(lines.values());
  return links.map((link) => {
    if (link.reason !== null) return Decimal.zero;
    const recoverable = Decimal.one.minus(link.waived);
    if (link.window === null) return shareTakenBelow(source, link.dealKey, inputs ?? []).times(recoverable);
    const { refunded, of } = link.part;
    const recovered = link.window.share.times(recoverable);
    if (lines === null || link.lineShares === null || paid.isZero()) return quotient(refunded.times(recovered), of);
    const ofLines = [...link.lineShares].map(([id, share]) => share.times(lines.get(id) ?? Decimal.zero));
    return quotient(sum(ofLines).times(recovered), paid);
  });
}

/** What the refund takes back of the inputs, each by its weight in what the manager was paid on. */
function shareTakenBelow(source: ChainSource, dealKey: string, inputs: readonly CascadeInput[]): Decimal {
  const below = source.below(source.deal.dealId);
  const earned = sumByInput(below);
  const taken = sumByInput(source.below(dealKey));
  const weighted = weighInputs(inputs, below).flatMap(({ key, weight }) => {
    const amount = earned.get(key) ?? Decimal.zero;
    return amount.isZero() ? [] : [{ weight, share: quotient((taken.get(key) ?? Decimal.zero).negated(), amount) }];
  });
  const total = sum(weighted.map(({ weight }) => weight));
  return total.isZero() ? Decimal.zero : quotient(sum(weighted.map(({ weight, share }) => weight.times(share))), total);
}

/** Rules of two plans may have one name; each has its own share of the refund. */
function eventKey(event: UpstreamEvent): string {
  return `${event.planId}|${inputName(event)}`;
}

function sumByInput(events: readonly UpstreamEvent[]): ReadonlyMap<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const event of events) addTo(sums, eventKey(event), event.amount);
  return sums;
}

/** The weights of the inputs by the key of their events. Inputs and events of one name have the same order. */
function weighInputs(
  inputs: readonly CascadeInput[],
  events: readonly UpstreamEvent[],
): { readonly key: string; readonly weight: Decimal }[] {
  const ofInput = groupBy(events, inputName);
  const weights = new Map<string, Decimal>();
  for (const { input, row } of pairInputs(inputs, (name) => ofInput.get(inputName(name)) ?? [])) {
    const key = eventKey(row);
    addTo(weights, key, Decimal.of(input.amount).absolute());
  }
  return [...weights].map(([key, weight]) => ({ key, weight }));
}
