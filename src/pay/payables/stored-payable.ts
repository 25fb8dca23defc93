import { type Day } from '../../kernel/day.js';
import { type Period } from '../../kernel/period.js';

/** The totals of one currency as exact decimal text; see totals.ts. */
export interface StoredTotals {
  readonly currency: string;
  readonly released: string;
  /** The parts of what is released that rules paid for deals and as bonuses; the rest are adjustments. */
  readonly commission: string;
  readonly bonus: string;
  readonly carriedIn: string;
  readonly opening: string;
  readonly added: string;
  readonly recovered: string;
  readonly closing: string;
  readonly payable: string;
  /** What draws pay in addition, and what is kept to repay them. Absent where both are zero. */
  readonly drawn?: string;
  readonly repaid?: string;
}

/** What a statement grants, recovers or offsets of a draw, as exact decimal text. */
export interface StoredDrawLine {
  readonly drawId: string;
  readonly kind: 'draw' | 'draw_recovery' | 'draw_offset';
  readonly drawKind: 'guarantee' | 'advance';
  readonly currency: string;
  /** What the statement pays; negative if it keeps. */
  readonly amount: string;
  /** How the line changes what the person owes of the draw. */
  readonly change: string;
  readonly formula: string;
  /** The approved period whose correction the offset belongs to. */
  readonly sourcePeriod?: Period;
}

/** What a statement pays of one event, as exact decimal text, with the names at the time of generation. */
export interface StoredPayLine {
  readonly key: string;
  /** `release`: more or less of the event is released; `correction`: an approved period was corrected. */
  readonly kind: 'release' | 'correction';
  readonly dealId: string | null;
  readonly dealName?: string | null;
  readonly planId: string | null;
  readonly ruleName: string | null;
  readonly category: 'commission' | 'bonus' | 'adjustment';
  readonly currency: string;
  readonly amount: string;
  /** What is earned and what of it is released at the end of the period. */
  readonly earned: string;
  readonly released: string;
  /** It pays what approved periods would have paid if its facts had been known then. */
  readonly late?: true;
  /** The approved period that a correction is about. */
  readonly sourcePeriod?: Period;
}

/** An exchange rate as an exact quotient, with the stored rates that it was made from. */
export interface StoredPayRate {
  readonly numerator: string;
  readonly denominator: string;
  readonly legs: readonly { readonly from: string; readonly to: string; readonly day: Day; readonly rate: string }[];
}

/** What is payable in one currency, and what of it is paid in another. Without a rate, nothing is paid. */
export interface StoredPayPart {
  readonly currency: string;
  readonly payable: string;
  readonly rate: StoredPayRate | null;
  readonly commission: string | null;
  readonly bonus: string | null;
  readonly amount: string | null;
}

/** What a statement pays in the currency in which the person is paid; null while a rate is missing. */
export interface StoredPay {
  readonly currency: string;
  readonly amount: string | null;
  readonly parts: readonly StoredPayPart[];
}

/** What a version of a statement pays. */
export interface StoredPayable {
  readonly totals: readonly StoredTotals[];
  readonly lines: readonly StoredPayLine[];
  /** Absent for people who are paid in the currency in which they earn. */
  readonly pay?: StoredPay;
  /** Absent on statements without draws. */
  readonly draws?: readonly StoredDrawLine[];
}

/** The lines of a correction of an approved period. */
export interface StoredCorrection {
  readonly lines: readonly StoredPayLine[];
  /** The offsets of draws. Absent without any. */
  readonly draws?: readonly StoredDrawLine[];
}

/** What a signature covers of what is payable, in this order. Names and formulas are no content. */
export const signedPayFields = {
  totals: [
    'currency',
    'released',
    'commission',
    'bonus',
    'carriedIn',
    'opening',
    'added',
    'recovered',
    'closing',
    'payable',
    'drawn',
    'repaid',
  ],
  line: ['key', 'kind', 'category', 'currency', 'amount', 'earned', 'released', 'late', 'sourcePeriod'],
  draw: ['drawId', 'kind', 'drawKind', 'currency', 'amount', 'change', 'sourcePeriod'],
  pay: ['currency', 'amount'],
  part: ['currency', 'payable', 'commission', 'bonus', 'amount'],
  rate: ['numerator', 'denominator'],
} as const satisfies {
  readonly totals: readonly (keyof StoredTotals)[];
  readonly line: readonly (keyof StoredPayLine)[];
  readonly draw: readonly (keyof StoredDrawLine)[];
  readonly pay: readonly (keyof StoredPay)[];
  readonly part: readonly (keyof StoredPayPart)[];
  readonly rate: readonly (keyof StoredPayRate)[];
};

/** The values of the fields, with null for what is absent. */
export function valuesOf<Row>(row: Row, fields: readonly (keyof Row)[]): unknown[] {
  return fields.map((field) => row[field] ?? null);
}

/** Text that is equal for equal content, whatever the order in which the database returns keys. */
export function describePayable({ totals, lines, pay, draws = [] }: StoredPayable): string {
  return JSON.stringify([
    totals.map((total) => valuesOf(total, signedPayFields.totals)),
    lines.map(describePayLine),
    draws.map((draw) => valuesOf(draw, signedPayFields.draw)),
    pay === undefined ? null : [...valuesOf(pay, signedPayFields.pay), pay.parts.map(describePart)],
  ]);
}

export function describePayLine(line: StoredPayLine) {
  return valuesOf(line, signedPayFields.line);
}

function describePart(part: StoredPayPart) {
  const rate = part.rate === null ? [] : valuesOf(part.rate, signedPayFields.rate);
  return [...valuesOf(part, signedPayFields.part), rate];
}
