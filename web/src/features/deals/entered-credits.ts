import { type CreditLine, type SentLine } from '../../api/credit-queries.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';

/** A line as a form has it, with texts. */
export interface EnteredLine {
  /** Id of the person, `house`, or empty while no person is chosen. */
  readonly person: string;
  readonly kind: CreditLine['kind'];
  readonly role: string;
  readonly percent: string;
  readonly affects: CreditLine['affects'];
}

/** The choice of a line that no person earns. */
export const house = 'house';

export const newLine: EnteredLine = { person: '', kind: 'split', role: '', percent: '', affects: 'both' };

export function toEnteredLines(lines: readonly CreditLine[]): EnteredLine[] {
  return lines.map(({ repId, kind, role, percent, affects }) => ({
    person: repId ?? house,
    kind,
    role: role ?? '',
    percent: formatNumber(percent),
    affects,
  }));
}

/** The lines as they are sent, or null while one is incomplete or the split lines do not total 100 %. */
export function readLines(entered: readonly EnteredLine[]): SentLine[] | null {
  const lines = entered.flatMap(({ person, kind, role, percent, affects }) => {
    const value = readPercent(percent);
    if (person === '' || value === null) return [];
    return [
      {
        repId: person === house ? null : person,
        kind,
        percent: value,
        affects,
        ...(role.trim() === '' ? {} : { role: role.trim() }),
      },
    ];
  });
  return lines.length === entered.length && lines.length > 0 && missingSplit(entered) === 0 ? lines : null;
}

/** What the split lines lack to 100 %, negative if they exceed it; 0 without split lines, and null while one is no number. */
export function missingSplit(entered: readonly EnteredLine[]): number | null {
  const splits = entered.filter(({ kind }) => kind === 'split').map(({ percent }) => readPercent(percent));
  if (splits.length === 0) return 0;
  if (splits.includes(null)) return null;
  const millionths = splits.reduce<number>((sum, percent) => sum + Math.round((percent ?? 0) * millionth), 0);
  return (100 * millionth - millionths) / millionth;
}

/** Gives all split lines the same share; the last one also what the division leaves. */
export function splitEqually(entered: readonly EnteredLine[]): EnteredLine[] {
  const count = entered.filter(({ kind }) => kind === 'split').length;
  const share = Math.floor((100 * millionth) / count);
  let written = 0;
  return entered.map((line) => {
    if (line.kind !== 'split') return line;
    written += 1;
    const millionths = written === count ? 100 * millionth - share * (count - 1) : share;
    return { ...line, percent: formatNumber(millionths / millionth) };
  });
}

export function describeMissing(missing: number | null): string {
  if (missing === null) return 'Enter a percentage for each line.';
  if (missing === 0) return 'The splits total 100 %.';
  const rest = `${formatNumber(Math.abs(missing), 6)} %`;
  return missing > 0 ? `${rest} of the deal is not given to anyone yet.` : `The splits exceed 100 % by ${rest}.`;
}

/** Percentages have up to six decimals, so sums are exact in millionths. */
const millionth = 1_000_000;

function readPercent(text: string): number | null {
  const value = readNumber(text);
  return value === null || value <= 0 || Math.round(value * millionth) / millionth !== value ? null : value;
}

export function nameOfLine({ repId, repName }: Pick<CreditLine, 'repId' | 'repName'>): string {
  return repId === null ? 'The house' : (repName ?? 'Someone who left');
}

const sourceWords: Readonly<Record<CreditLine['source'], string>> = {
  api: 'entered by a person or the API',
  crm: 'from the CRM',
  rule: 'from a credit rule',
  owner: 'owner of the deal',
};

const affectsWords: Readonly<Record<CreditLine['affects'], string | null>> = {
  both: null,
  quota: 'counts for the quota only',
  payout: 'pays, but does not count for the quota',
};

/** What a line is: its role, kind, effect and source. */
export function describeLine({ role, kind, affects, source, rule }: CreditLine): string {
  const origin = rule === undefined ? sourceWords[source] : `from the credit rule “${rule}”`;
  const parts = [role, kind === 'overlay' ? 'overlay, in addition to the splits' : null, affectsWords[affects], origin];
  return parts.filter((part) => part !== null).join(', ');
}
