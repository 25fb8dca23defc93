import { sql } from 'kysely';
import { type Day, type DayRange } from '../../kernel/day.js';
import { Decimal, maximum, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { inParallel } from '../../kernel/waiting.js';
import { eventsTable, statementPeriodsTable } from '../../ledger/input/as-of.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type GroupAmounts } from './release.js';
import {
  type StoredCorrection,
  type StoredDrawLine,
  type StoredPayable,
  type StoredPayLine,
} from './stored-payable.js';
import { type BalanceChange, computeOpening } from './totals.js';

interface ApprovedStatement {
  readonly period: Period;
  readonly from: Day;
  readonly to: Day;
  readonly payable: StoredPayable;
}

/** A correction of an approved period, with the day on which its event is dated. */
export interface PaidCorrection {
  readonly sourcePeriod: Period;
  readonly paidOn: Day;
  readonly payable: StoredCorrection;
}

/** A line of a draw in an approved statement, or of a correction, which has no period of its own. */
export interface PaidDrawLine extends StoredDrawLine {
  readonly period: Period | null;
  readonly paidOn: Day;
}

interface OfRep {
  readonly repId: string;
}

/** What approved statements and corrections of a rep have paid. */
export class PayHistory {
  constructor(
    private readonly statements: readonly ApprovedStatement[],
    private readonly corrections: readonly PaidCorrection[],
  ) {}

  findApproved(period: Period): StoredPayable | null {
    return this.statements.find((statement) => statement.period === period)?.payable ?? null;
  }

  listCorrectionsOf(period: Period): readonly (readonly StoredPayLine[])[] {
    return this.corrections.filter(({ sourcePeriod }) => sourcePeriod === period).map(({ payable }) => payable.lines);
  }

  /** The corrections of other periods that are paid on the days. */
  listCarriedInto(period: Period, { from, to }: { readonly from: Day; readonly to: Day }): PaidCorrection[] {
    return this.corrections.filter(
      ({ sourcePeriod, paidOn }) => sourcePeriod !== period && from <= paidOn && paidOn <= to,
    );
  }

  /** The balance before the statement of the period that begins on the day. */
  openingOf(period: Period, from: Day, currency: string): Decimal {
    const others = this.statements.filter((statement) => statement.period !== period);
    const changes = (statements: readonly ApprovedStatement[]) =>
      statements.flatMap(({ payable }) => findChange(payable, currency));
    return computeOpening(
      changes(others.filter((statement) => statement.from < from)),
      changes(others.filter((statement) => statement.from >= from)),
    );
  }

  /** The balance that all approved statements have left, at least 0. */
  balanceIn(currency: string): Decimal {
    const changes = this.statements.flatMap(({ payable }) => findChange(payable, currency));
    return maximum(computeOpening(changes, []), Decimal.zero);
  }

  /** The offsets of the draw that corrections of the period contain. */
  offsetsOf(period: Period, drawId: string): Decimal {
    const offsets = this.corrections.filter(({ sourcePeriod }) => sourcePeriod === period);
    return sum(offsets.flatMap(({ payable }) => changesOf(payable.draws, drawId)).map(({ amount }) => amount));
  }

  /**
   * What the person owes of the draw before the statement of the period: what earlier statements granted, less what all
   * others recovered. The offset of a correction counts in the statement that pays it, and in later ones once that is
   * approved. One that reduces what is owed counts in earlier statements too, so that it is not recovered twice.
   */
  drawOpening(drawId: string, period: Period, { from, to }: DayRange): Decimal {
    const statements = this.statements
      .filter((statement) => statement.period !== period)
      .flatMap((statement) =>
        changesOf(statement.payable.draws, drawId)
          .filter(({ kind, change }) => kind !== 'draw_offset' && (statement.from < from || change.sign() < 0))
          .map(({ change }) => change),
      );
    const offsets = this.corrections.flatMap(({ payable, paidOn }) =>
      changesOf(payable.draws, drawId)
        .filter(({ change }) => (paidOn < from ? this.isApprovedOn(paidOn) : paidOn <= to || change.sign() < 0))
        .map(({ change }) => change),
    );
    return sum([...statements, ...offsets]);
  }

  private isApprovedOn(day: Day): boolean {
    return this.statements.some(({ from, to }) => from <= day && day <= to);
  }

  /** What approved statements and corrections have granted and recovered of draws, by the day that it is dated on. */
  listDrawLines(): PaidDrawLine[] {
    const statements = this.statements.flatMap(({ period, to, payable }) =>
      (payable.draws ?? [])
        .filter(({ kind }) => kind !== 'draw_offset')
        .map((line) => ({ ...line, period, paidOn: to })),
    );
    const offsets = this.corrections.flatMap(({ sourcePeriod, paidOn, payable }) =>
      (payable.draws ?? []).map((line) => ({ ...line, period: null, sourcePeriod, paidOn })),
    );
    return [...statements, ...offsets].sort((a, b) => (a.paidOn < b.paidOn ? -1 : Number(a.paidOn > b.paidOn)));
  }

  /** The history once the open statement of the period is approved as it is calculated. */
  withApproved(period: Period, { from, to }: DayRange, payable: StoredPayable): PayHistory {
    return new PayHistory([...this.statements, { period, from, to, payable }], this.corrections);
  }

  /** How all approved statements and corrections have changed what the person owes of the draw. */
  drawChanges(drawId: string): Decimal {
    const statements = this.statements.flatMap(({ payable }) =>
      changesOf(payable.draws, drawId).filter(({ kind }) => kind !== 'draw_offset'),
    );
    const offsets = this.corrections.flatMap(({ payable }) => changesOf(payable.draws, drawId));
    return sum([...statements, ...offsets].map(({ change }) => change));
  }

  /** The last day with a statement or a correction, at least the given one. */
  lastDay(day: Day): Day {
    const days = [...this.statements.map(({ to }) => to), ...this.corrections.map(({ paidOn }) => paidOn)];
    return days.reduce((latest, other) => (other > latest ? other : latest), day);
  }

  currencies(): readonly string[] {
    return [...new Set(this.statements.flatMap(({ payable }) => payable.totals.map(({ currency }) => currency)))];
  }
}

function changesOf(draws: readonly StoredDrawLine[] | undefined, drawId: string) {
  return (draws ?? [])
    .filter((line) => line.drawId === drawId)
    .map(({ kind, amount, change }) => ({ kind, amount: Decimal.of(amount), change: Decimal.of(change) }));
}

function findChange({ totals }: StoredPayable, currency: string): BalanceChange[] {
  return totals
    .filter((total) => total.currency === currency)
    .map(({ added, recovered }) => ({ added: Decimal.of(added), recovered: Decimal.of(recovered) }));
}

/** The sums of the lines by key. */
export function amountsByKey(lines: readonly StoredPayLine[]): GroupAmounts {
  const byKey = groupBy(lines, ({ key }) => key);
  return new Map([...byKey].map(([key, ofKey]) => [key, sum(ofKey.map(({ amount }) => Decimal.of(amount)))]));
}

export async function loadPayHistories(
  tx: Transaction,
  repIds: readonly string[],
): Promise<(repId: string) => PayHistory> {
  const [statements, corrections] = await inParallel(
    () => loadStatements(tx, repIds),
    () => loadCorrections(tx, repIds),
  );
  return (repId) => new PayHistory(statements.get(repId) ?? [], corrections.get(repId) ?? []);
}

async function loadStatements(tx: Transaction, repIds: readonly string[]) {
  const { rows } = await sql<ApprovedStatement & OfRep>`
    select h.rep_id as "repId", h.period, h.from_day as "from", h.to_day as "to", s.payable
    from ${statementPeriodsTable(tx)} h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = any(${repIds}::uuid[]) and h.status = 'approved'
      and s.payable is not null
    order by h.from_day`.execute(tx.db);
  return groupBy(rows, ({ repId }) => repId);
}

async function loadCorrections(tx: Transaction, repIds: readonly string[]) {
  const { rows } = await sql<PaidCorrection & OfRep>`
    select t.rep_id as "repId", t.period as "sourcePeriod", e.earned_on as "paidOn", t.payable
    from true_ups t
    join ${eventsTable(tx)} e on e.workspace_id = t.workspace_id and e.rep_id = t.rep_id and e.event_id = t.event_id
    where t.workspace_id = ${tx.workspaceId} and t.rep_id = any(${repIds}::uuid[]) and t.payable is not null
      and e.status = 'earned'
    order by e.updated_at, t.event_id`.execute(tx.db);
  return groupBy(rows, ({ repId }) => repId);
}
