import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

interface BatchRow {
  readonly repId: string;
  readonly batchId: string;
  readonly period: string;
  /** The currency in which the batch pays. */
  readonly currency: string;
  readonly status: 'open' | 'paid' | 'cancelled';
  readonly createdOn: Day;
  readonly decidedOn: Day | null;
  readonly paidOn: Day | null;
  readonly payable: StoredPayable;
}

/** What a batch contains of a statement in one earned currency. */
export interface BatchAmount extends BatchRow {
  /** Without what it pays as a draw that is paid back. */
  readonly commission: Decimal;
  /** What it pays of each draw that is paid back. */
  readonly draws: ReadonlyMap<string, Decimal>;
}

/** What batches contain, oldest first. Batches are read as they were at `asOf`. */
export async function loadBatchAmounts(tx: Transaction, repIds: readonly string[]): Promise<BatchAmount[]> {
  const { rows } = await sql<BatchRow>`
    with batches as (
      select b.*, w.timezone, coalesce(b.decided_at <= ${tx.until}::timestamptz, false) as decided
      from payout_batches b join workspaces w on w.workspace_id = b.workspace_id
      where b.workspace_id = ${tx.workspaceId} and b.created_at <= ${tx.until}::timestamptz
    )
    select l.rep_id as "repId", b.batch_id as "batchId", l.period, l.currency,
      case when b.decided then b.status else 'open' end as status,
      (b.created_at at time zone known_zone(b.timezone))::date as "createdOn",
      case when b.decided then (b.decided_at at time zone known_zone(b.timezone))::date end as "decidedOn",
      case when b.decided then b.paid_on end as "paidOn", s.payable
    from payout_batch_lines l
    join batches b on b.workspace_id = l.workspace_id and b.batch_id = l.batch_id
    join statements s on s.workspace_id = l.workspace_id and s.rep_id = l.rep_id and s.period = l.period
      and s.version = l.version and s.payable is not null
    where l.workspace_id = ${tx.workspaceId} and l.rep_id = any(${repIds}::uuid[])
    order by b.created_at, b.batch_id, l.currency`.execute(tx.db);
  const before = new Map<string, readonly ContainedAmount[]>();
  return rows.flatMap((row) => {
    const key = `${row.repId}|${row.period}|${row.currency}`;
    const all = listContained(row.payable, row.currency);
    const earlier = before.get(key) ?? [];
    // What a cancelled batch contained is in the next one.
    if (row.status !== 'cancelled') before.set(key, all);
    return all.map((contained) => ({ ...row, ...without(contained, earlier) }));
  });
}

interface ContainedAmount {
  readonly currency: string;
  readonly commission: Decimal;
  readonly draws: ReadonlyMap<string, Decimal>;
}

/** What a batch in the currency pays of a version of a statement, by earned currency. */
export function listContained({ totals, pay, draws = [] }: StoredPayable, paidIn: string): ContainedAmount[] {
  return totals
    .filter(({ currency }) => (pay === undefined ? currency : pay.currency) === paidIn)
    .map(({ currency, payable }) => {
      const granted = draws.filter((line) => line.currency === currency && line.kind === 'draw' && isPaidBack(line));
      const amounts = new Map(granted.map(({ drawId, amount }) => [drawId, Decimal.of(amount)]));
      return { currency, commission: Decimal.of(payable).minus(sum(amounts.values())), draws: amounts };
    });
}

/** A draw that is not paid back changes nothing that the person owes. */
export function isPaidBack({ change }: { readonly change: string }): boolean {
  return !Decimal.of(change).isZero();
}

function without(contained: ContainedAmount, earlier: readonly ContainedAmount[]): ContainedAmount {
  const before = earlier.find(({ currency }) => currency === contained.currency);
  if (before === undefined) return contained;
  const ids = [...new Set([...contained.draws.keys(), ...before.draws.keys()])];
  const of = (draws: ReadonlyMap<string, Decimal>, id: string) => draws.get(id) ?? Decimal.zero;
  return {
    currency: contained.currency,
    commission: contained.commission.minus(before.commission),
    draws: new Map(ids.map((id) => [id, of(contained.draws, id).minus(of(before.draws, id))])),
  };
}
