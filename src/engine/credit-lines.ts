import { Decimal, sum } from '../kernel/decimal.js';

export const creditKinds = ['split', 'overlay'] as const;
export type CreditKind = (typeof creditKinds)[number];

/** What a line counts for: the quota, the payout, or both. */
export const creditEffects = ['both', 'quota', 'payout'] as const;
export type CreditEffect = (typeof creditEffects)[number];

/** Where a line comes from, the highest first. */
const creditSources = ['api', 'crm', 'rule'] as const;
type CreditSource = (typeof creditSources)[number];

/** One person's part of a deal; without a rep it is the company's own. Plain data, which is stored and sent between threads. */
export interface CreditLine {
  readonly repId: string | null;
  readonly kind: CreditKind;
  readonly role: string | null;
  /** Exact decimal text. */
  readonly percent: string;
  readonly affects: CreditEffect;
  readonly source: CreditSource | 'owner';
  /** The name of the credit rule that gives the line. */
  readonly rule?: string;
}

/** The part of a deal that a rule counts for one person: of the credit, and of base, amounts and limits. */
export interface Share {
  readonly credit: Decimal;
  readonly pay: Decimal;
}

/** The only share of the whole deal, so that values which it leaves unchanged are not multiplied. */
export const wholeShare: Share = { credit: Decimal.one, pay: Decimal.one };

const hundred = Decimal.of(100);

/** The lines that count: of each kind those of the highest source that has some. */
export function selectLines(lines: readonly CreditLine[]): CreditLine[] {
  return creditKinds.flatMap((kind) => {
    const ofKind = lines.filter((line) => line.kind === kind);
    const highest = creditSources.find((source) => ofKind.some((line) => line.source === source));
    return ofKind.filter(({ source }) => source === highest);
  });
}

/** The lines with the owner's: a split of what the other split lines leave of 100 %. */
export function withOwner(lines: readonly CreditLine[], ownerId: string | null): readonly CreditLine[] {
  const split = sum(lines.filter(({ kind }) => kind === 'split').map(({ percent }) => Decimal.of(percent)));
  const rest = hundred.minus(split);
  if (ownerId === null || rest.sign() <= 0) return lines;
  return [
    ...lines,
    { repId: ownerId, kind: 'split', role: null, percent: rest.toString(), affects: 'both', source: 'owner' },
  ];
}

/** The lines that a rule counts. */
export interface CountedLines {
  readonly kinds: readonly CreditKind[];
  /** Null: of any role. A line without a role matches no named one. */
  readonly roles: readonly string[] | null;
}
