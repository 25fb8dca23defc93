import { createHash, hash } from 'node:crypto';
import { type Day } from '../kernel/day.js';
import { type Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { EventLoopSlice } from '../kernel/waiting.js';
import { type AccountRole, type EntryKind } from './accounts.js';
import { type Month } from './month.js';
import { type Origin } from './movement.js';

/** A line of the journal of a month. Debits are positive. */
export interface JournalLine extends Origin {
  readonly lineId: string;
  readonly entity: string;
  readonly month: Month;
  readonly day: Day;
  readonly kind: EntryKind;
  /** Names the entry among those of its kind: its lines add up to zero. */
  readonly ref: string;
  /** What moves: lines of other months have the same where they are about the same. */
  readonly source: string;
  readonly account: AccountRole;
  readonly repId: string;
  readonly currency: string;
  /** In `currency`. */
  readonly amount: Decimal;
  /** In the currency of the entity. */
  readonly value: Decimal;
  /** The line is about a month that was closed. */
  readonly late: boolean;
}

/** A line as it is listed, without the names of people and deals. */
export interface ListedLine extends Omit<JournalLine, 'month' | 'source' | 'amount' | 'value'> {
  readonly amount: number;
  readonly value: number;
}

export function toListedLine({ month: _, source: __, amount, value, ...line }: JournalLine): ListedLine {
  return { ...line, amount: amount.toNumber(), value: value.toNumber() };
}

/** The lines of the month, by person, kind and entry. */
export async function linesOfMonth({
  lines,
  month,
}: {
  readonly lines: readonly JournalLine[];
  readonly month: Month;
}): Promise<JournalLine[]> {
  const ofMonth = lines.filter((line) => line.month === month);
  const ofPeople = groupBy(ofMonth, ({ entity, repId }) => `${entity}|${repId}|`);
  const slice = new EventLoopSlice();
  const sorted: JournalLine[] = [];
  for (const person of [...ofPeople.keys()].sort()) {
    await slice.pause();
    const keyed = (ofPeople.get(person) as JournalLine[]).map((line) => ({
      line,
      key: `${line.kind}|${line.ref}|${line.account}|${line.currency}`,
    }));
    for (const { line } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) sorted.push(line);
  }
  return sorted;
}

/** The id of a line of an entry: equal facts give equal ids, in any order. */
export function deriveLineId(
  workspaceId: string,
  entry: Pick<JournalLine, 'entity' | 'month' | 'kind' | 'repId' | 'ref' | 'currency'>,
  account: AccountRole,
): string {
  const { entity, month, kind, repId, ref, currency } = entry;
  return hash('sha256', JSON.stringify([workspaceId, entity, month, kind, repId, ref, account, currency])).slice(0, 32);
}

/** SHA-256 over the hash of the closing before, the month and its lines in the order of their ids. */
export async function hashLines(before: string | null, month: Month, lines: readonly JournalLine[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([before, month]));
  // All ids have the same length, so the parts are in the order of the ids, and texts that begin with an id within a part.
  const parts = groupBy(lines, ({ lineId }) => lineId.slice(0, 2));
  const slice = new EventLoopSlice();
  for (const prefix of [...parts.keys()].sort()) {
    await slice.pause();
    for (const text of (parts.get(prefix) as JournalLine[]).map(describe).sort()) hash.update(text);
  }
  return hash.digest('hex');
}

function describe({ lineId, account, currency, amount, value }: JournalLine): string {
  return `\n${lineId} ${account} ${currency} ${amount.toString()} ${value.toString()}`;
}
