import { roundToCurrency } from '../kernel/currency.js';
import { type Day, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type RefundTerms } from './compiled-plan.js';
import { settleAmount } from './exchange-rates.js';
import { asNumber } from './field-value.js';
import { type ConvertRefund, refundConverter, withAmountsOfLines } from './line-refunds.js';
import { type RefundedLine } from './line-shares.js';
import { toRawAmounts } from './line-trace.js';
import { type RefundSource, type RepInput } from './model.js';
import { type InputName, inputName } from './pair-inputs.js';
import { type ChainLink, type ChainSource, linkRefunds, type SourcePay, sharesTaken } from './refund-chain.js';
import { selectUpstream } from './rule-values.js';
import { type Deal } from './slug.js';
import { type CascadeInput, type RefundParts } from './trace.js';

/** An event of a refunded deal, from the walk or from the ledger. Its amount is known when the walk has reached it. */
export interface RefundedEvent {
  readonly planVersionId: string;
  readonly terms: RefundTerms;
  readonly attainmentKey: string;
  readonly currency: string;
  readonly chain: ChainSource;
  readonly links: readonly ChainLink[];
  category: 'commission' | 'bonus';
  pay: SourcePay | null;
}

/** A refund that takes back an event. */
export interface PlannedRefund {
  readonly source: RefundedEvent;
  readonly link: ChainLink;
}

/** What a refund takes back of an event, with how it was computed. */
export interface TakenBack {
  readonly amount: Decimal;
  readonly raw: Decimal;
  /** The amount of the source. */
  readonly of: Decimal;
  readonly share: Decimal;
  /** Negative: its part of what the cap cut off the source. */
  readonly cutOff: Decimal;
  readonly parts: RefundParts;
}

/** The source of a stored event of a refund. */
interface StoredRefundSource {
  readonly earnedOn: Day;
  readonly cutOffTaken: (share: Decimal) => Decimal;
}

/** A firing or a fixed row of a refunded deal. */
export interface Refundable extends Pick<RefundedEvent, 'planVersionId' | 'terms' | 'attainmentKey' | 'currency'> {
  readonly deal: Deal;
  readonly earnedOn: Day;
  readonly credit: Decimal;
  /** The events that a manager's event was calculated from; null if they are not known. */
  readonly inputs: readonly InputName[] | null;
  /** The counted lines; null for an event without lines. */
  readonly lines: readonly RefundedLine[] | null;
}

type FixedSource = Pick<RefundSource, 'ruleName' | 'dealKey' | 'credit' | 'amount' | 'cutOff'>;

/** The events of one plan that refunds take back. */
export class PlanRefunds {
  private readonly stored = new Map<string, RefundSource>();
  private readonly occurring = new Map<string, RefundedEvent>();
  private readonly shares = new Map<RefundedEvent, Decimal[]>();
  private readonly convert: ConvertRefund;

  constructor(
    private readonly input: Pick<RepInput, 'fx' | 'refunds' | 'repId' | 'window'>,
    planId: string,
  ) {
    this.convert = refundConverter(input.fx?.rates ?? null);
    for (const source of input.refunds?.sources ?? [])
      if (source.planId === planId) this.stored.set(keyOf(source.ruleName, source.dealKey), source);
  }

  /** A rule fires on a deal. */
  addFiring(firing: Refundable): void {
    if (firing.deal.refunds === undefined) return;
    const { deal, terms } = firing;
    const amount = asNumber(deal.standard.dealAmount);
    this.occurring.set(keyOf(terms.rule.name, deal.dealId), this.toEvent(firing, amount));
  }

  /** A row that the calculation does not change counts for a deal. */
  addFixed({ ruleName, dealKey, ...counted }: FixedSource): void {
    const source = this.stored.get(keyOf(ruleName, dealKey));
    const event = source === undefined ? null : this.fromStored({ ...source, ...counted });
    if (event !== null) this.occurring.set(keyOf(ruleName, dealKey), event);
  }

  /** What the walk has paid for the deal. */
  complete(ruleName: string, dealKey: string, category: RefundedEvent['category'], readPay: () => SourcePay): void {
    const event = this.occurring.get(keyOf(ruleName, dealKey));
    if (event === undefined || event.pay !== null) return;
    event.category = category;
    event.pay = readPay();
  }

  /** All refunds of all events, also those that take nothing back. Call it when every event was added. */
  plan(): PlannedRefund[] {
    const keys = new Set([...this.occurring.keys(), ...this.stored.keys()]);
    return [...keys].flatMap((key) => this.planEvent(key));
  }

  /**
   * An approved row counts as approved for the refunds of other periods: a correction of its period changes it with
   * those of the same period.
   */
  private planEvent(key: string): PlannedRefund[] {
    const occurring = this.occurring.get(key) ?? null;
    const source = this.stored.get(key);
    if (source === undefined) return planned(occurring, () => true);
    const { approved, earnedOn } = source;
    if (approved === null)
      return planned(occurring ?? (earnedOn < this.input.window.from ? this.fromStored(source) : null), () => true);
    const isWithinApproved = ({ day }: ChainLink) => isWithin(day, approved);
    return [
      ...planned(occurring, isWithinApproved),
      ...planned(this.fromStored(source), (link) => !isWithinApproved(link)),
    ];
  }

  /** The amount of the event that the refund takes back; the refunds of an event are rounded together. */
  takeBack({ source, link }: PlannedRefund): TakenBack {
    const pay = source.pay ?? { amount: Decimal.zero, cutOff: Decimal.zero, inputs: null, lines: null };
    const shares = getOrInsert(this.shares, source, () =>
      sharesTaken(source.chain, source.links, { ...pay, inputs: pay.inputs ?? inputsBelow(source.chain) }),
    );
    const index = source.links.indexOf(link);
    const before = sum(shares.slice(0, index));
    const taken = before.plus(shares[index] ?? Decimal.zero);
    const roundedTo = (share: Decimal) =>
      roundToCurrency(settleAmount(pay.amount.negated().times(share)), source.currency);
    const { part, window, waived } = link;
    return {
      amount: roundedTo(taken).minus(roundedTo(before)),
      raw: settleAmount(pay.amount.negated().times(taken.minus(before))),
      of: pay.amount,
      share: taken.minus(before),
      cutOff: partOf(pay.cutOff, taken.minus(before)),
      parts: {
        earnedOn: source.chain.earnedOn,
        refunded: part.refunded,
        dealAmount: source.chain.dealAmount,
        window,
        waived,
        takenBefore: before,
        taken,
      },
    };
  }

  /** The source of a stored event of a refund. What the cap cut off is known when the walk has reached the source. */
  findSource(ruleName: string, dealId: string): StoredRefundSource | null {
    const key = keyOf(ruleName, dealId);
    const occurring = this.occurring.get(key);
    const stored = this.stored.get(key);
    const earnedOn = occurring?.chain.earnedOn ?? stored?.earnedOn;
    if (earnedOn === undefined) return null;
    const cutOff = () => (occurring === undefined ? stored?.cutOff : occurring.pay?.cutOff) ?? Decimal.zero;
    return { earnedOn, cutOffTaken: (share) => partOf(cutOff(), share) };
  }

  private fromStored(source: RefundSource): RefundedEvent | null {
    const terms = this.input.refunds?.terms(source.planVersionId, source.ruleName) ?? null;
    if (terms === null || source.deal.refunds === undefined) return null;
    const { amount, cutOff = Decimal.zero, inputs, category, deal, lines = null } = source;
    const dealAmount = source.dealAmount === undefined ? asNumber(deal.standard.dealAmount) : source.dealAmount;
    const pay = { amount, cutOff, inputs, lines: lines === null ? null : toRawAmounts(lines) };
    return { ...this.toEvent({ ...source, lines, terms }, dealAmount), category, pay };
  }

  private toEvent(
    { deal: stored, earnedOn, credit, inputs, lines, ...terms }: Refundable,
    dealAmount: Decimal | null,
  ): RefundedEvent {
    const rule = terms.terms;
    const deal = { ...stored, refunds: withAmountsOfLines(stored, this.convert) };
    const names = inputs === null ? null : new Set(inputs.map(inputName));
    const below = (dealKey: string) =>
      selectUpstream(rule, this.input.refunds?.below(dealKey) ?? [], rule.converts ? null : terms.currency).filter(
        (event) => event.repId !== this.input.repId && (names?.has(inputName(event)) ?? true),
      );
    const isFollowing = rule.rule.executionPhase === 'cascade';
    const ofLines = isFollowing ? null : lines;
    const chain = { repId: this.input.repId, deal, terms: rule, earnedOn, credit, dealAmount, lines: ofLines, below };
    const { planVersionId, attainmentKey, currency } = terms;
    const event = { planVersionId, terms: rule, attainmentKey, currency };
    return { ...event, chain, links: linkRefunds(chain), category: 'commission', pay: null };
  }
}

/** What a refund of the share takes of what the cap cut off. */
function partOf(cutOff: Decimal, share: Decimal): Decimal {
  return cutOff.isZero() ? cutOff : settleAmount(cutOff.times(share)).negated();
}

function planned(source: RefundedEvent | null, counts: (link: ChainLink) => boolean): PlannedRefund[] {
  return source === null ? [] : source.links.filter(counts).map((link) => ({ source, link }));
}

/** A corrected row may not have kept what it was calculated from. */
function inputsBelow({ below, deal }: ChainSource): CascadeInput[] {
  return below(deal.dealId).map(({ repId, ruleName, amount }) => ({ repId, ruleName, amount: amount.toString() }));
}

function keyOf(ruleName: string, dealKey: string): string {
  return `${ruleName}|${dealKey}`;
}
