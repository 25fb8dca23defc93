/**
 * Draws of one person in one currency, written from the page of the money model and not from the service. Amounts are
 * whole cents, percentages whole, and pay periods are closed in their order.
 */

export interface OracleDraw {
  id: string;
  kind: 'guarantee' | 'advance';
  recoverable: boolean;
  amount: bigint;
  from: string;
  to: string | null;
  start: 'next_period' | 'after_end' | 'day';
  day: string | null;
  maxPercent: bigint;
  forgiveOn: string | null;
  forgiven: { amount: bigint; day: string }[];
}

interface Month {
  first: string;
  last: string;
}

const least = (...all: bigint[]) => all.reduce((a, b) => (b < a ? b : a));
const positive = (a: bigint) => (a > 0n ? a : 0n);

function quotient(n: bigint, d: bigint): bigint {
  return (2n * n + d) / (2n * d);
}

export class OracleDraws {
  readonly paid: bigint[] = [];
  /** What was taken back and is not recovered. */
  balance = 0n;
  private readonly released: bigint[] = [];
  private readonly corrected: bigint[] = [];
  private readonly granted: Map<string, bigint>[] = [];
  /** What each recoverable draw granted less what was recovered, before anything is forgiven. */
  private readonly net = new Map<string, bigint>();
  private carried = 0n;

  constructor(
    private readonly months: readonly Month[],
    private readonly draws: readonly OracleDraw[],
    private readonly maxPercent: bigint,
  ) {}

  /** The part of a draw that the month promises. */
  private part(draw: OracleDraw, month: number): bigint {
    const { first, last } = this.at(month);
    const total = Number(last.slice(8));
    const days = Array.from(
      { length: total },
      (_, index) => `${first.slice(0, 8)}${String(index + 1).padStart(2, '0')}`,
    );
    const within = days.filter((day) => day >= draw.from && day <= (draw.to ?? '9999')).length;
    return quotient(draw.amount * BigInt(within), BigInt(total));
  }

  promised(month: number): bigint {
    return this.draws
      .filter(({ kind }) => kind === 'guarantee')
      .reduce((sum, draw) => sum + this.part(draw, month), 0n);
  }

  private topUps(month: number, released: bigint): Map<string, bigint> {
    let due = positive(this.promised(month) - positive(released));
    const parts = new Map<string, bigint>();
    for (const draw of this.draws) {
      if (draw.kind !== 'guarantee') continue;
      const own = least(due, this.part(draw, month));
      parts.set(draw.id, own);
      due -= own;
    }
    return parts;
  }

  private isWrittenOff({ forgiveOn }: OracleDraw, day: string): boolean {
    return forgiveOn !== null && forgiveOn <= day;
  }

  owed(draw: OracleDraw, day: string, forgivenUntil: string): bigint {
    if (!draw.recoverable || this.isWrittenOff(draw, day)) return 0n;
    const forgiven = draw.forgiven.filter((one) => one.day <= forgivenUntil).reduce((sum, one) => sum + one.amount, 0n);
    return positive((this.net.get(draw.id) ?? 0n) - forgiven);
  }

  close(month: number, gains: bigint, losses: bigint): void {
    const { first, last } = this.at(month);
    const promised = this.promised(month);
    const credit = positive(this.carried);
    const debt = this.balance + losses + positive(-this.carried);
    this.carried = 0n;
    const above = positive(gains - promised);
    const kept = least(debt, quotient(this.maxPercent * (gains + credit), 100n), above + credit);
    this.balance = debt - kept;
    const before = new Map(this.draws.map((draw) => [draw.id, this.owed(draw, last, last)]));
    let paid = gains + credit - kept;
    let takenFromGains = positive(kept - credit);
    const granted = this.topUps(month, gains);
    for (const draw of this.draws) {
      const amount = granted.get(draw.id) ?? this.part(draw, month);
      paid += amount;
      if (draw.recoverable && !this.isWrittenOff(draw, last)) this.change(draw.id, amount);
    }
    for (const draw of this.draws) {
      const hasBegun =
        draw.start === 'next_period' ||
        (draw.start === 'after_end' ? draw.to !== null && first > draw.to : (draw.day ?? '9999') <= last);
      if (!hasBegun) continue;
      const limit = quotient(draw.maxPercent * gains, 100n) - takenFromGains;
      const amount = positive(least(before.get(draw.id) ?? 0n, above - takenFromGains, limit));
      takenFromGains += amount;
      paid -= amount;
      this.change(draw.id, -amount);
    }
    this.paid[month] = paid;
    this.released[month] = gains;
    this.corrected[month] = 0n;
    this.granted[month] = granted;
  }

  /** Late commission of a closed month, paid in it or in the next month that is closed. */
  correct(month: number, amount: bigint, target: 'same' | number): void {
    const until = this.at(target === 'same' ? month : target).last;
    this.corrected[month] = (this.corrected[month] ?? 0n) + amount;
    const due = this.topUps(month, (this.released[month] ?? 0n) + (this.corrected[month] ?? 0n));
    let result = amount;
    for (const draw of this.draws) {
      const topUp = due.get(draw.id);
      if (topUp === undefined) continue;
      const had = this.granted[month]?.get(draw.id) ?? 0n;
      const offset = this.limit(draw, topUp - had, until);
      this.granted[month]?.set(draw.id, had + offset);
      if (draw.recoverable && !this.isWrittenOff(draw, until)) this.change(draw.id, offset);
      result += offset;
    }
    if (target === 'same') this.trueUp(month, result);
    else this.carried += result;
  }

  /** Of a recoverable draw at most what is open is offset. */
  private limit(draw: OracleDraw, change: bigint, until: string): bigint {
    const open = this.owed(draw, until, '9999');
    return draw.recoverable && change < -open ? -open : change;
  }

  private trueUp(month: number, result: bigint): void {
    const gain = positive(result);
    const kept = least(this.balance, quotient(this.maxPercent * gain, 100n));
    this.balance += positive(-result) - kept;
    this.paid[month] = (this.paid[month] ?? 0n) + gain - kept;
  }

  private change(id: string, amount: bigint): void {
    this.net.set(id, (this.net.get(id) ?? 0n) + amount);
  }

  private at(month: number): Month {
    return this.months[month] as Month;
  }
}
