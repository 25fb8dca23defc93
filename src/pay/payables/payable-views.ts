import { sql } from 'kysely';
import { currencyDigits } from '../../kernel/currency.js';
import { type Day, latestDay } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { computeLines, knownLines, listCarried, loadRepPayables, type RepPayables } from './build-payables.js';
import { toNumber } from './fraction.js';
import { type HoldTerms } from './hold-views.js';
import { type LoadedGroup } from './pay-groups.js';
import { type NamedPeriod, type PayPeriods } from './pay-periods.js';
import { type PayableEntry } from './payable-entry.js';
import { computeEarned, computeReleased, isHeld, type PayLines } from './release.js';
import { computeShare, listWaits } from './share.js';
import { type StoredPayLine } from './stored-payable.js';

/** A part of a group with its status, before the names of people and deals are added. */
export interface Entry extends Omit<PayableEntry, 'repName' | 'dealName' | 'amount' | 'heldBy'> {
  readonly key: string;
  readonly amount: Decimal;
  readonly holds?: readonly HoldTerms[];
}

export interface RepEntries {
  readonly entries: readonly Entry[];
  /** What the rep owes, by currency. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** What batches have paid, by the currency in which they paid it. */
  readonly paidOut: ReadonlyMap<string, Decimal>;
}

/** What a batch has paid of a statement, in the currency of the bank. */
interface PaidStatement {
  readonly repId: string;
  readonly period: Period;
  readonly currency: string;
  readonly amount: string;
  readonly batchId: string;
  readonly paidOn: Day;
  /** The number of lines of the version that the batch has paid. Later versions add lines after them. */
  readonly lines: number;
}

/** What each of the reps has earned on a day, with its status: the statuses of a group add up to what is earned. */
export async function loadEntries(
  tx: Transaction,
  payPeriods: PayPeriods,
  repIds: readonly string[],
  today: Day,
): Promise<ReadonlyMap<string, RepEntries>> {
  const load = await loadRepPayables(tx, repIds, payPeriods.firstDay);
  const paid = groupBy(await loadPaid(tx, repIds), ({ repId }) => repId);
  return new Map(
    repIds.map((repId) => [
      repId,
      new RepStatuses(repId, load(repId), paid.get(repId) ?? [], payPeriods, today).list(),
    ]),
  );
}

/** The paid batches of each statement, the first one first. */
async function loadPaid(tx: Transaction, repIds: readonly string[]): Promise<PaidStatement[]> {
  const { rows } = await sql<PaidStatement>`
    select l.rep_id as "repId", l.period, l.currency, l.amount::text as amount, b.batch_id as "batchId",
      b.paid_on as "paidOn", jsonb_array_length(s.payable -> 'lines') as lines
    from payout_batch_lines l
    join payout_batches b on b.workspace_id = l.workspace_id and b.batch_id = l.batch_id and b.status = 'paid'
    join statements s on s.workspace_id = l.workspace_id and s.rep_id = l.rep_id and s.period = l.period
      and s.version = l.version
    where l.workspace_id = ${tx.workspaceId} and l.rep_id = any(${repIds}::uuid[])
      and b.decided_at <= ${tx.until}::timestamptz
    order by b.decided_at, b.batch_id`.execute(tx.db);
  return rows;
}

class RepStatuses {
  private readonly periods: readonly NamedPeriod[];
  private readonly lines: PayLines;
  private readonly groups: ReadonlyMap<string, LoadedGroup>;

  constructor(
    private readonly repId: string,
    private readonly payables: RepPayables,
    private readonly paid: readonly PaidStatement[],
    payPeriods: PayPeriods,
    today: Day,
  ) {
    this.periods = payPeriods.until(payables.history.lastDay(today));
    this.lines = computeLines(payables, this.periods);
    this.groups = new Map(payables.groups.map((group) => [group.key, group]));
  }

  list(): RepEntries {
    const entries = [...this.listApproved(), ...this.listOpen(), ...this.listNotReleased()];
    const { history } = this.payables;
    return {
      entries: inOrder(entries),
      balances: new Map(history.currencies().map((currency) => [currency, history.balanceIn(currency)])),
      paidOut: sumsByCurrency(this.paid),
    };
  }

  /** The last day of the last pay period, at which shares are shown. */
  private get lastDay(): Day | null {
    return this.periods.at(-1)?.range.to ?? null;
  }

  /** What a batch has paid stays paid: lines that a correction adds to the statement wait for another batch. */
  private listApproved(): Entry[] {
    return this.periods.flatMap(({ period }) => {
      const approved = this.payables.history.findApproved(period);
      if (approved === null) return [];
      const batches = this.paid.filter((batch) => batch.period === period);
      return approved.lines.map((line, index): Entry => {
        const paidIn = approved.pay?.currency ?? line.currency;
        const batch = batches.find(({ currency, lines }) => currency === paidIn && index < lines);
        return {
          ...this.describe(line),
          period,
          ...(batch === undefined
            ? { status: 'approved' }
            : { status: 'paid', batchId: batch.batchId, paidOn: batch.paidOn }),
        };
      });
    });
  }

  private listOpen(): Entry[] {
    const { history } = this.payables;
    const known = knownLines(history, this.periods);
    return this.periods.flatMap(({ period, range }) => {
      if (history.findApproved(period) !== null) return [];
      const own = (this.lines.byPeriod.get(period) ?? []).map((line): Entry => {
        const described = this.describe(known.get(line.key) ?? this.toLine(line.key), line.amount);
        return { ...described, period, status: 'payable', ...(line.late ? { late: true } : {}) };
      });
      const carried = listCarried(this.payables, { period, range }).flatMap(({ sourcePeriod, payable }) =>
        payable.lines.map((line): Entry => ({ ...this.describe(line), period, status: 'payable', sourcePeriod })),
      );
      return [...own, ...carried];
    });
  }

  private toLine(key: string): Omit<StoredPayLine, 'kind' | 'amount' | 'earned' | 'released'> {
    const { row, currency } = this.groups.get(key) as LoadedGroup;
    const { dealKey, planId, ruleName, category } = row;
    return { key, dealId: dealKey, planId, ruleName, category, currency };
  }

  private listNotReleased(): Entry[] {
    const { lastDay } = this;
    return [...this.groups.values()].flatMap((group) => {
      const earned = computeEarned(group, latestDay);
      const released = lastDay === null ? Decimal.zero : computeReleased(group, lastDay);
      const waiting = earned.minus(released);
      const held = released.minus(this.lines.paid.get(group.key) ?? Decimal.zero);
      return [
        ...(waiting.isZero() ? [] : [this.toWaiting(group, waiting)]),
        ...(held.isZero() ? [] : [this.toHeld(group, held)]),
      ];
    });
  }

  private toWaiting(group: LoadedGroup, amount: Decimal): Entry {
    const day = this.lastDay ?? group.row.day;
    const waits = listWaits(group.share, day);
    const future = { because: 'date_not_reached', on: 'close', expectedOn: group.row.day } as const;
    const described = this.describe(this.toLine(group.key), amount);
    return { ...described, period: null, status: 'waiting', waitsFor: waits.length === 0 ? [future] : waits };
  }

  /** What is released and in no line is held, or was released for an approved period and waits for the next. */
  private toHeld(group: LoadedGroup, amount: Decimal): Entry {
    const described = this.describe(this.toLine(group.key), amount);
    const day = this.lastDay ?? group.row.day;
    const isStopped = isHeld(group, day);
    if (!isStopped) return { ...described, period: null, status: 'payable', late: true };
    return { ...described, period: null, status: 'held', holds: group.holds.filter((hold) => covers(hold, day)) };
  }

  private describe(
    line: Omit<StoredPayLine, 'kind' | 'amount' | 'earned' | 'released'> & { readonly amount?: string },
    amount = Decimal.of(line.amount ?? '0'),
  ): Omit<Entry, 'status' | 'period'> {
    const { key, dealId, planId, ruleName, category, currency, late, sourcePeriod } = line;
    const group = this.groups.get(key);
    const day = this.lastDay;
    return {
      key,
      repId: this.repId,
      dealId,
      planId,
      ruleName,
      category,
      currency,
      amount,
      earned: group === undefined ? 0 : computeEarned(group, latestDay).rounded(currencyDigits(currency)).toNumber(),
      share: group === undefined || day === null ? 0 : toNumber(computeShare(group.share, day)),
      ...(late === undefined ? {} : { late }),
      ...(sourcePeriod === undefined ? {} : { sourcePeriod }),
    };
  }
}

/** By deal, and of one group what is paid first: each page of a list continues the one before. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const keyed = entries.map((entry) => ({ entry, text: `${entry.dealId ?? '\uffff'}|${entry.ruleName}|${entry.key}` }));
  return keyed.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text))).map(({ entry }) => entry);
}

function covers({ from, to }: Pick<HoldTerms, 'from' | 'to'>, day: Day): boolean {
  return from <= day && (to === null || day <= to);
}
