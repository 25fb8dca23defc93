import { type CreditKind } from '../engine/credit-lines.js';
import { maxPercents } from '../engine/credit-rules.js';
import { type DealLine } from '../engine/deal-line.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { deriveId } from '../kernel/ids.js';
import { maxLinesOfDeal, totalsHundred } from './deal-credits.js';

/** A credit line as a CRM reports it. The person is the member's rep, and none while there is none. */
export interface ReportedLine {
  /** Id of the member of the CRM. */
  readonly ownerId: string;
  readonly kind: CreditKind;
  readonly role: string | null;
  /** Percentage of the deal, as exact decimal text. */
  readonly percent: string;
}

/** The lines that can be stored, in a canonical order, and why others are left out. */
export interface ReadLines {
  readonly lines: readonly ReportedLine[];
  readonly problems: readonly string[];
}

const maxDecimals = 6;

/**
 * Adds up the lines of one member, kind and role, which a CRM may have under several types. Split lines that do not
 * total 100 % are left out together: paying some of them would pay the wrong people.
 */
export function readReportedLines(reported: readonly ReportedLine[]): ReadLines {
  const problems: string[] = [];
  const sums = new Map<string, ReportedLine>();
  for (const line of reported) {
    const key = JSON.stringify([line.kind, line.role, line.ownerId]);
    const percent = sum([sums.get(key), line].map((each) => Decimal.of(each?.percent ?? 0))).rounded(maxDecimals);
    sums.set(key, { ...line, percent: percent.toString() });
  }
  let lines = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, line]) => (isPositive(line) ? [line] : []));
  if (!totalsHundred(lines)) {
    problems.push('the splits do not total 100 % and were left out');
    lines = lines.filter(({ kind }) => kind !== 'split');
  }
  const tooLarge = lines.filter(({ kind, percent }) => Decimal.of(percent).compare(Decimal.of(maxPercents[kind])) > 0);
  if (tooLarge.length > 0) {
    problems.push(`an overlay of more than ${maxPercents.overlay} % was left out`);
    lines = lines.filter((line) => !tooLarge.includes(line));
  }
  if (lines.length <= maxLinesOfDeal) return { lines, problems };
  return { lines: [], problems: [...problems, `more than ${maxLinesOfDeal} splits were left out`] };
}

function isPositive({ percent }: ReportedLine): boolean {
  return Decimal.of(percent).sign() > 0;
}

/** The hash of content with credit lines and products; the same hash without them, so that such deals keep theirs. */
export function hashWithLines(
  hash: string,
  { lines = [], products = [] }: { readonly lines?: readonly ReportedLine[]; readonly products?: readonly DealLine[] },
): string {
  return [lines, products].reduce(
    (hashed, part) => (part.length === 0 ? hashed : deriveId(`${hashed}\n${JSON.stringify(part)}`)),
    hash,
  );
}
