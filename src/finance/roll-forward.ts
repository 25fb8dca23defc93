import { Decimal, sum } from '../kernel/decimal.js';
import { type EntryKind } from './accounts.js';
import { type JournalLine } from './journal-line.js';
import { type Month } from './month.js';

const liabilityColumns = [
  'earned',
  'corrections',
  'adjustments',
  'takenBack',
  'topUps',
  'recovered',
  'paid',
  'writtenOff',
] as const;
type LiabilityColumn = (typeof liabilityColumns)[number];

/** Amounts that lower what is owed are negative: opening + columns = closing. */
export interface RollForward extends Readonly<Record<LiabilityColumn, Decimal>> {
  readonly opening: Decimal;
  readonly closing: Decimal;
  /** What of `recovered` and `paid` became known after its month was closed. */
  readonly late: Decimal;
}

const columnOfKind: Readonly<Partial<Record<EntryKind, LiabilityColumn>>> = {
  earned: 'earned',
  correction: 'corrections',
  adjusted: 'adjustments',
  clawback: 'takenBack',
  topUp: 'topUps',
  draw_recovery: 'recovered',
  payment: 'paid',
  write_off: 'writtenOff',
};

/** Whether the line changes what is owed. A receivable that is shown apart changes nothing. */
export function changesLiability({ account, kind }: JournalLine): boolean {
  return account === 'accrued_commission' && kind !== 'receivable' && kind !== 'exchange';
}

/** What the lines of one currency say is owed at the beginning and at the end of the month. */
export function rollForward(lines: readonly JournalLine[], month: Month): RollForward {
  const changes = lines.filter(changesLiability);
  const opening = owed(changes.filter((line) => line.month < month));
  const inMonth = changes.filter((line) => line.month === month);
  const columns = Object.fromEntries(
    liabilityColumns.map((column) => [column, owed(inMonth.filter(({ kind }) => columnOfKind[kind] === column))]),
  ) as Record<LiabilityColumn, Decimal>;
  const late = owed(inMonth.filter((line) => line.late && line.kind !== 'correction'));
  return { opening, ...columns, late, closing: opening.plus(sum(Object.values(columns))) };
}

/** What draws were worth that are paid back: opening + granted + recovered + forgiven = closing. */
export interface DrawRollForward {
  readonly opening: Decimal;
  readonly granted: Decimal;
  readonly recovered: Decimal;
  readonly forgiven: Decimal;
  readonly closing: Decimal;
}

export function rollDrawsForward(lines: readonly JournalLine[], month: Month): DrawRollForward {
  const changes = lines.filter(({ account, kind }) => account === 'draws_receivable' && kind !== 'exchange');
  const inMonth = changes.filter((line) => line.month === month);
  const of = (kind: EntryKind) => total(inMonth.filter((line) => line.kind === kind));
  const opening = total(changes.filter((line) => line.month < month));
  const [granted, recovered, forgiven] = [of('payment'), of('draw_recovery'), of('draw_forgiven')];
  return { opening, granted, recovered, forgiven, closing: sum([opening, granted, recovered, forgiven]) };
}

function total(lines: readonly JournalLine[]): Decimal {
  return sum(lines.map(({ amount }) => amount));
}

function owed(lines: readonly JournalLine[]): Decimal {
  return total(lines).negated();
}
