import { type Day } from '../kernel/day.js';
import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { type BookCalendar } from './book-calendar.js';
import { listMonths, type Month, nextMonth, previousMonth } from './month.js';
import { countUnits, type Schedule } from './schedule.js';

/** A part of the deal that ends on a day: `ended` of `of`. */
export interface EndedPart {
  readonly day: Day;
  readonly ended: Decimal;
  readonly of: Decimal;
}

/** What a row takes back of the lot, as a positive amount. */
interface TakenBack {
  readonly key: string;
  readonly day: Day;
  readonly amount: Decimal;
}

/** A lot with everything that happens to it. */
export interface Lot {
  /** The months of the books that have it. */
  readonly calendar: BookCalendar;
  /** The month in which it becomes an asset. */
  readonly first: Month;
  /** Decimal places of the currency. */
  readonly digits: number;
  /** How it is spread, each from its month on; the first one from the beginning. */
  readonly schedules: readonly { readonly from: Month; readonly schedule: Schedule }[];
  /** In the currency of the entity; not negative. */
  readonly cost: Decimal;
  /** The cost is what another system has left to amortise, so the units before its first month have passed. */
  readonly isOpening?: true;
  /** The cost that closed months keep, by month, if corrections are spread over what is left. */
  readonly kept?: ReadonlyMap<Month, Decimal>;
  readonly ends: readonly EndedPart[];
  /** The day on which what is left of the contract ends. */
  readonly terminatedOn?: Day | null;
  readonly takenBack: readonly TakenBack[];
  /** What tests of impairment write down at the end of a month; negative for what they write up. */
  readonly writtenDown?: ReadonlyMap<Month, Decimal>;
}

/** What happens to the asset in a month; all amounts lower it. */
export interface LotMonth {
  readonly month: Month;
  readonly amortised: Decimal;
  /** By the key of the row that takes back. */
  readonly clawedBack: ReadonlyMap<string, Decimal>;
  /** What ends without being taken back. */
  readonly ended: Decimal;
  /** By a test of impairment. */
  readonly impaired: Decimal;
  readonly carrying: Decimal;
}

/** What is spread since the end of a month: an amount, and what had passed and ended of the lot by then. */
interface Basis {
  readonly amount: Decimal;
  readonly passed: number;
  readonly living: Fraction;
}

interface Fraction {
  readonly left: Decimal;
  readonly of: Decimal;
}

/**
 * The life of a lot until the month. Its present cost counts as if it had always been known, or closed months keep the
 * cost that they had. In each month the living part is amortised first, then the share that is refunded ends, and then a
 * test of impairment counts.
 */
export function replayLot(lot: Lot, until: Month): LotMonth[] {
  const life = new Life(lot);
  return monthsOf(lot, until).map((month) => life.pass(month));
}

/** The life of a lot until the month, and what is amortised in each month after it, as things are at its end. */
export function foreseeLot(lot: Lot, month: Month): { readonly months: readonly LotMonth[]; readonly future: Future } {
  const { to } = lot.calendar.range(month);
  const { terminatedOn = null } = lot;
  const life = new Life({
    ...lot,
    schedules: lot.schedules.filter(({ from }, index) => index === 0 || from <= month),
    ends: lot.ends.filter(({ day }) => day <= to),
    terminatedOn: terminatedOn !== null && terminatedOn <= to ? terminatedOn : null,
    writtenDown: new Map([...(lot.writtenDown ?? [])].filter(([tested]) => tested <= month)),
  });
  const months = monthsOf(lot, month).map((each) => life.pass(each));
  const future = new Map<Month, Decimal>();
  let at = month;
  let isOver = months.length === 0;
  while (!isOver && !life.carrying.isZero()) {
    isOver = life.isSpread(at);
    at = nextMonth(at);
    future.set(at, life.pass(at).amortised);
  }
  return { months, future };
}

/** The months of the lot until the month; none before its first one. */
function monthsOf({ first }: Lot, until: Month): Month[] {
  return until < first ? [] : listMonths(first, until);
}

/** What is amortised after a month, by month. */
export type Future = ReadonlyMap<Month, Decimal>;

/** A lot that passes one month after the other. */
class Life {
  carrying: Decimal;
  private cost: Decimal;
  private schedule: Schedule;
  private living = whole;
  private basis: Basis;

  constructor(private readonly lot: Lot) {
    this.cost = this.costIn(lot.first);
    this.carrying = this.cost;
    this.schedule = this.scheduleIn(lot.first);
    const passed = lot.isOpening ? countUnits(this.schedule, previousMonth(lot.first), lot.calendar).passed : 0;
    this.basis = { amount: this.cost, passed, living: whole };
  }

  pass(month: Month): LotMonth {
    const { lot } = this;
    const change = this.costIn(month).minus(this.cost);
    const added = partOf(change, this.living, lot.digits);
    const schedule = this.scheduleIn(month);
    const isChanged = !change.isZero() || !isSameSchedule(schedule, this.schedule);
    this.cost = this.cost.plus(change);
    this.schedule = schedule;
    this.carrying = this.carrying.plus(added);
    if (isChanged) this.spreadAgain(this.carrying, previousMonth(month));
    const spread = this.carryingAt(month);
    const amortised = this.carrying.minus(spread);
    const living = livingPart(lot, month);
    const hasEnded = living !== this.living;
    this.living = living;
    const left = hasEnded ? this.carryingAt(month) : spread;
    const gone = spread.minus(left);
    this.carrying = left;
    const clawedBack = divideEnded(gone, lot, month);
    const impaired = lot.writtenDown?.get(month) ?? Decimal.zero;
    if (!impaired.isZero()) {
      this.carrying = left.minus(impaired);
      this.spreadAgain(this.carrying, month);
    }
    const ended = gone.minus(sum(clawedBack.values())).plus(change).minus(added);
    return { month, amortised, clawedBack, ended, impaired, carrying: this.carrying };
  }

  /** Whether its units have passed at the end of the month. The month after it takes what is left. */
  isSpread(month: Month): boolean {
    const { passed, all } = countUnits(this.schedule, month, this.lot.calendar);
    return passed === all;
  }

  /** After the month, the amount is spread over the units that are left. What is below zero is taken at once. */
  private spreadAgain(amount: Decimal, after: Month): void {
    const { passed } = countUnits(this.schedule, after, this.lot.calendar);
    this.basis = { amount: maximum(amount, Decimal.zero), passed, living: this.living };
  }

  private costIn(month: Month): Decimal {
    return this.lot.kept?.get(month) ?? this.lot.cost;
  }

  private scheduleIn(month: Month): Schedule {
    const { schedules } = this.lot;
    const found = schedules.findLast(({ from }) => from <= month) ?? schedules[0];
    return (found as (typeof schedules)[number]).schedule;
  }

  /** What is left of the basis at the end of the month. */
  private carryingAt(month: Month): Decimal {
    const { amount, passed: before, living: then } = this.basis;
    if (then.left.isZero()) return Decimal.zero;
    const now = this.living;
    const share = { left: now.left.times(then.of), of: now.of.times(then.left) };
    const living = partOf(amount, share, this.lot.digits);
    const { passed, all } = countUnits(this.schedule, month, this.lot.calendar);
    if (all <= before) return Decimal.zero;
    const { digits } = this.lot;
    const spread = living.times(Decimal.of(passed - before)).dividedBy(Decimal.of(all - before), digits + 1);
    return living.minus(spread.rounded(digits));
  }
}

function isSameSchedule(a: Schedule, b: Schedule): boolean {
  return (
    a === b ||
    (a.start === b.start && a.lastDay === b.lastDay && a.months === b.months && a.convention === b.convention)
  );
}

const noneTakenBack: ReadonlyMap<string, Decimal> = new Map();

/** What rows take back of what ends in the month, one after the other. */
function divideEnded(ended: Decimal, { takenBack, first, calendar }: Lot, month: Month): ReadonlyMap<string, Decimal> {
  if (ended.sign() <= 0) return noneTakenBack;
  let rest = ended;
  const monthOf = (day: Day) => (calendar.monthOf(day) < first ? first : calendar.monthOf(day));
  const parts = takenBack
    .filter(({ day }) => monthOf(day) === month)
    .map(({ key, amount }) => {
      const part = rest.sign() > 0 && amount.sign() > 0 ? minimum(rest, amount) : Decimal.zero;
      rest = rest.minus(part);
      return [key, part] as const;
    });
  return new Map(parts.filter(([, part]) => !part.isZero()));
}

const whole: Fraction = { left: Decimal.of(1), of: Decimal.of(1) };
const nothing: Fraction = { left: Decimal.zero, of: Decimal.of(1) };

/** The part of the deal that has not ended at the end of the month. */
function livingPart({ ends, terminatedOn = null, calendar }: Lot, month: Month): Fraction {
  if (ends.length === 0 && terminatedOn === null) return whole;
  const { to } = calendar.range(month);
  if (terminatedOn !== null && terminatedOn <= to) return nothing;
  const ended = ends.filter(({ day }) => day <= to);
  const of = ended.at(-1)?.of;
  if (of === undefined) return whole;
  const left = of.minus(sum(ended.map((part) => part.ended)));
  return { left: left.sign() <= 0 ? Decimal.zero : left, of };
}

function partOf(amount: Decimal, { left, of }: Fraction, digits: number): Decimal {
  return left.equals(of) ? amount : amount.times(left).dividedBy(of).rounded(digits);
}
