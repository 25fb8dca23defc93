import type { Rule } from './config.js';
import { type Amount, amount, ONE, rounded, sum, text, ZERO } from './decimal.js';
import { numberFrom, readStandard } from './fields.js';
import type { LedgerRow, World, WorldDeal, WorldRefund } from './world.js';

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

/** ρ of each refund, whether a policy covers it or not. Null: the deal has nothing to refund. */
function parts(world: World, deal: WorldDeal): Amount[] | null {
  const total = numberFrom(readStandard(world, { fieldMapping: null }, deal, 'dealAmount'));
  if (total?.lt(0) === true) return null;
  // A deal of amount 0 is refunded as a whole, like one without an amount.
  const whole = total === null || total.isZero() ? null : total;
  let left = whole ?? ONE;
  return ordered(deal).map(({ amount: refunded }) => {
    const wanted = refunded === undefined ? left : whole === null ? ZERO : amount(refunded);
    const taken = wanted.lt(left) ? wanted : left;
    left = left.minus(taken);
    return taken.dividedBy(whole ?? ONE);
  });
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

function taken(source: Source, refund: WorldRefund, part: Amount): Taken | null {
  const { row, rule } = source;
  const isBonus = rule.payoutMode === 'flat_per_tier' || rule.payoutMode === 'stepped_bonus';
  if (isBonus || rule.phase === 'periodic' || rule.clawback === null) return null;
  if (rule.phase === 'cascade') return takenFromManager(source, refund);
  const policy = rule.clawback;
  if (policy === undefined || policy.causes?.includes(refund.cause) === false) return null;
  const days = (Date.parse(eventDay(refund, row.earnedOn)) - Date.parse(row.earnedOn)) / DAY;
  const share = covered(policy, days);
  if (share === null) return null;
  const left = ONE.minus(kept(refund, row.repId, false));
  return { share: part.times(share).times(left), losesCredit: policy.credit !== 'none' };
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
  const { cutOff: _, ...same } = row;
  const given = parts(world, deal);
  const all = ordered(deal);
  const index = all.findIndex((refund) => refund.refundId === id);
  const refund = all[index];
  if (given === null || refund === undefined || period === null) return null;
  const shares = all.map((each, at) => taken(source, each, given[at] as Amount));
  const own = shares[index];
  if (own === undefined || own === null) return null;
  const until = (count: number) => sum(shares.slice(0, count).map((each) => each?.share ?? ZERO));
  const back = (share: Amount) => rounded(amount(row.amount).negated().times(share), row.currency);
  const part = own.losesCredit ? (given[index] as Amount) : ZERO;
  return {
    ...same,
    dealId: refundId(deal.dealId, id),
    amount: text(back(until(index + 1)).minus(back(until(index)))),
    base: row.amount,
    credit: text(part.negated().times(row.credit)),
    tierName: null,
    period,
    earnedOn: eventDay(refund, row.earnedOn),
    share: { credit: text(part.negated()), pay: text(own.share.negated()) },
  };
}
