import type { Rule } from './config.js';
import { type Amount, amount, ONE, rounded, sum, text, ZERO } from './decimal.js';
import { numberFrom, readStandard } from './fields.js';
import { onDay } from './fx.js';
import type { LedgerRow, RowLine, World, WorldDeal, WorldLine, WorldRefund } from './world.js';

/** Money model, section 6: the `clawback` of a plan or a rule, as posted. */
export interface Policy {
  window?: { from?: string; days?: number };
  steps?: { untilDay: number; percent: number }[];
  declining?: true;
  credit?: 'refund_period' | 'none';
  causes?: string[];
}

/** A counted event of a deal with refunds. */
export interface Source {
  row: LedgerRow;
  rule: Rule;
  deal: WorldDeal;
  /** Of a manager: what was earned below, and what each refund took back there. */
  inputs: LedgerRow[];
  /** What an input counts in the manager's currency. */
  weigh: (input: LedgerRow) => Amount;
  takenBelow: (refundId: string) => LedgerRow[];
}

const DAY = 24 * 60 * 60 * 1000;

export function refundId(deal: string, refund: string): string {
  return `refund:${deal}:${refund}`;
}

export function isRefundId(id: string): boolean {
  return id.startsWith('refund:');
}

export function ordered({ refunds = [] }: WorldDeal): WorldRefund[] {
  return refunds.toSorted((a, b) => {
    const [first, second] = [`${a.day} ${a.refundId}`, `${b.day} ${b.refundId}`];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

/** The day of the new event: not before the event's own day. */
export function eventDay(refund: WorldRefund, earnedOn: string): string {
  return refund.day < earnedOn ? earnedOn : refund.day;
}

/** A refund with what it gives back. */
interface Given {
  refund: WorldRefund;
  /** Lines, L23: the named lines that are there and have a positive amount. Null: it names none. */
  named: Named[] | null;
  /** ρ, whether a policy covers it or not. */
  part: Amount;
}

type Named = NonNullable<WorldRefund['lines']>[number];

/** What earlier refunds left of each line. */
type LeftOfLines = Map<string, { line: WorldLine; left: Amount | null }>;

/** Null: the deal has nothing to refund. */
function givenBack(world: World, deal: WorldDeal): Given[] | null {
  const total = numberFrom(readStandard(world, { fieldMapping: null }, deal, 'dealAmount'));
  if (total?.lt(0) === true) return null;
  // A deal of amount 0 is refunded as a whole, like one without an amount.
  const whole = total === null || total.isZero() ? null : total;
  let left = whole ?? ONE;
  const lines: LeftOfLines = new Map(
    (deal.lines ?? []).map((line) => [line.lineId, { line, left: numberFrom(line.amount) }]),
  );
  return ordered(deal).map((refund) => {
    const named = refund.lines?.filter(({ lineId }) => numberFrom(lines.get(lineId)?.line.amount)?.gt(0)) ?? null;
    const wanted = named === null ? statedAmount(refund) : giveLines(world, deal, named, lines, refund.day);
    const taken = wanted === null ? left : whole === null ? ZERO : minimum(wanted, left);
    if (named === null && whole !== null && !left.isZero()) giveOfEach(lines, taken.dividedBy(left));
    left = left.minus(taken);
    return { refund, named, part: taken.dividedBy(whole ?? ONE) };
  });
}

/** Null: all that is left. */
function statedAmount({ amount: stated }: WorldRefund): Amount | null {
  return stated === undefined ? null : amount(stated);
}

/** The sum of what is given back of the named lines. */
function giveLines(world: World, deal: WorldDeal, named: Named[], lines: LeftOfLines, day: string): Amount {
  return sum(
    named.map(({ lineId, amount: stated }) => {
      const found = lines.get(lineId) as { line: WorldLine; left: Amount };
      const given = stated === undefined ? found.left : minimum(amount(stated), found.left);
      found.left = found.left.minus(given);
      return inCurrencyOfDeal(world, deal, found.line, given, day);
    }),
  );
}

function giveOfEach(lines: LeftOfLines, part: Amount): void {
  for (const each of lines.values()) each.left = each.left?.times(ONE.minus(part)) ?? null;
}

function minimum(a: Amount, b: Amount): Amount {
  return a.lt(b) ? a : b;
}

/** L23: at the rate of the day of the refund; without one, 0. */
function inCurrencyOfDeal(world: World, deal: WorldDeal, line: WorldLine, value: Amount, day: string): Amount {
  const stated = readStandard(world, { fieldMapping: null }, deal, 'currency');
  const to = typeof stated === 'string' ? stated.trim().toUpperCase() : '';
  return onDay(world, { value, from: line.currency ?? to, to, day }) ?? ZERO;
}

/** L24: r of each line for each refund; null where a refund names lines of which the event has none. */
function lineShares(all: Given[], lines: RowLine[]): (Map<string, Amount> | null)[] {
  const left = new Map(lines.map(({ lineId }) => [lineId, ONE]));
  let rest = ONE;
  return all.map((given) => {
    const { named, part } = given;
    const found = lines.filter(({ lineId }) => named === null || named.some((each) => each.lineId === lineId));
    const ofRest = rest.isZero() ? ZERO : part.dividedBy(rest);
    const shares = new Map(
      found.map((line) => [line.lineId, shareOf(line, given, left.get(line.lineId) ?? ONE, ofRest)]),
    );
    for (const [lineId, share] of shares) left.set(lineId, (left.get(lineId) ?? ONE).minus(share));
    rest = rest.minus(part);
    return named !== null && shares.size === 0 ? null : shares;
  });
}

function shareOf({ lineId, net }: RowLine, { named }: Given, left: Amount, ofRest: Amount): Amount {
  if (named === null) return left.times(ofRest);
  const stated = named.find((each) => each.lineId === lineId)?.amount;
  if (stated === undefined) return left;
  return net === null || amount(net).lte(0) ? ZERO : minimum(amount(stated).dividedBy(net), left);
}

/** φ before waivers; null outside of the window. */
function covered(policy: Policy, elapsed: number): Amount | null {
  const { window, steps, declining } = policy;
  if (window?.days !== undefined && elapsed > window.days) return null;
  if (declining === true) return amount((window?.days as number) - elapsed).dividedBy(window?.days as number);
  if (steps === undefined) return ONE;
  const step = steps.find(({ untilDay }) => elapsed <= untilDay);
  return step === undefined ? null : amount(step.percent).dividedBy(100);
}

function kept(refund: WorldRefund, repId: string, isManager: boolean): Amount {
  const waivers = refund.waivers ?? [];
  const own = waivers.find((waiver) => waiver.repId === repId);
  const general = isManager ? undefined : waivers.find((waiver) => waiver.repId === null);
  return amount((own ?? general)?.percent ?? 0).dividedBy(100);
}

interface Taken {
  /** The share of the source. */
  share: Amount;
  losesCredit: boolean;
}

function taken(source: Source, { refund, part }: Given, shares: Map<string, Amount> | null): Taken | null {
  const { row, rule } = source;
  const isBonus = rule.payoutMode === 'flat_per_tier' || rule.payoutMode === 'stepped_bonus';
  if (isBonus || rule.phase === 'periodic' || rule.clawback === null) return null;
  if (rule.phase === 'cascade') return takenFromManager(source, refund);
  const policy = rule.clawback;
  if (policy === undefined || policy.causes?.includes(refund.cause) === false) return null;
  if (row.lines !== undefined && shares === null) return null;
  const days = (Date.parse(eventDay(refund, row.earnedOn)) - Date.parse(row.earnedOn)) / DAY;
  const share = covered(policy, days);
  if (share === null) return null;
  const left = ONE.minus(kept(refund, row.repId, false));
  return { share: partOfPay(row, shares, part).times(share).times(left), losesCredit: policy.credit !== 'none' };
}

/** L24: of each line its part of the raw amount; where no line has one, the part of the deal. */
function partOfPay({ lines = [] }: LedgerRow, shares: Map<string, Amount> | null, part: Amount): Amount {
  const raw = sum(lines.map((line) => amount(line.raw)));
  if (raw.isZero()) return part;
  return sum(lines.map((line) => (shares?.get(line.lineId) ?? ZERO).times(line.raw))).dividedBy(raw);
}

/** L24: what a refund takes of the credit. */
function partOfCredit({ credit, lines = [] }: LedgerRow, shares: Map<string, Amount> | null, part: Amount): Amount {
  const ofLines = sum(lines.map((line) => (shares?.get(line.lineId) ?? ZERO).times(line.credit)));
  const ofDeal = amount(credit).minus(sum(lines.map((line) => amount(line.credit))));
  return ofLines.plus(ofDeal.times(part));
}

/** The share taken back below. The share of an input counts by what the input weighs. */
function takenFromManager({ row, inputs, weigh, takenBelow }: Source, refund: WorldRefund): Taken | null {
  const isOf = (input: LedgerRow) => (each: LedgerRow) =>
    each.repId === input.repId && each.ruleName === input.ruleName && each.planId === input.planId;
  const below = takenBelow(refund.refundId).filter((each) => inputs.some((input) => isOf(input)(each)));
  if (below.length === 0) return null;
  const weighed = inputs.filter((input) => !amount(input.amount).isZero());
  const total = sum(weighed.map((input) => weigh(input).abs()));
  const lost = sum(
    weighed.map((input) => {
      const back = sum(below.filter(isOf(input)).map((each) => amount(each.amount).negated()));
      return weigh(input).abs().times(back.dividedBy(input.amount));
    }),
  );
  const share = total.isZero() ? ZERO : lost.dividedBy(total);
  return {
    share: share.times(ONE.minus(kept(refund, row.repId, true))),
    losesCredit: below.some((each) => amount(each.share?.credit ?? 0).lt(0)),
  };
}

/** The row of one refund for one source; null if there is none. */
export function refundRow(world: World, source: Source, id: string, period: string | null): LedgerRow | null {
  const { row, deal } = source;
  const { cutOff: _, lines, ...same } = row;
  const all = givenBack(world, deal);
  const index = all?.findIndex(({ refund }) => refund.refundId === id) ?? -1;
  const given = all?.[index];
  if (all === null || given === undefined || period === null) return null;
  const ofLines = lines === undefined ? [] : lineShares(all, lines);
  const shares = all.map((each, at) => taken(source, each, ofLines[at] ?? null));
  const own = shares[index];
  if (own === undefined || own === null) return null;
  // L24: what is taken in total stays between nothing and all.
  const until = (count: number) =>
    shares.slice(0, count).reduce((total, each) => {
      const next = total.plus(each?.share ?? ZERO);
      return next.lt(0) ? ZERO : minimum(next, ONE);
    }, ZERO);
  const [before, after] = [until(index), until(index + 1)];
  const back = (share: Amount) => rounded(amount(row.amount).negated().times(share), row.currency);
  const part = own.losesCredit ? given.part : ZERO;
  const credit = own.losesCredit ? partOfCredit(row, ofLines[index] ?? null, given.part) : ZERO;
  return {
    ...same,
    dealId: refundId(deal.dealId, id),
    amount: text(back(after).minus(back(before))),
    base: row.amount,
    credit: text(credit.negated()),
    tierName: null,
    period,
    earnedOn: eventDay(given.refund, row.earnedOn),
    share: { credit: text(part.negated()), pay: text(after.minus(before).negated()) },
  };
}
