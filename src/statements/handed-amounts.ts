import { type RawBuilder, sql } from 'kysely';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type CurrencySummary, type Summary, summaryFrom, totalsByCurrency } from './snapshot.js';

/** What a payroll file contains for a person in one currency. */
export interface HandedAmount extends CurrencySummary {
  readonly repId: string;
}

interface HandedFile {
  readonly scope: 'full' | 'new';
  readonly amounts: readonly HandedAmount[];
}

/** What was handed over in a period. */
export interface HandedAmounts {
  /** The number of files. */
  readonly files: number;
  /** The amounts of each person; people in no file are absent. */
  readonly people: ReadonlyMap<string, readonly CurrencySummary[]>;
}

/** What was handed over of the people; null for everyone. */
export async function loadHandedAmounts(
  tx: Transaction,
  period: string,
  repIds: readonly string[] | null = null,
): Promise<HandedAmounts> {
  const { rows } = await sql<HandedFile>`
    select scope, ${repIds === null ? sql`amounts` : handedTo(repIds)} as amounts from payroll_handovers
    where workspace_id = ${tx.workspaceId} and period = ${period}
      and created_at <= ${tx.until}::timestamptz
    order by created_at, handover_id`.execute(tx.db);
  return { files: rows.length, people: addUp(rows) };
}

/** The amounts of a hand-over that are those of the people. */
export function handedTo(repIds: readonly string[]): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(a), '[]') from jsonb_array_elements(amounts) a
    where a ->> 'repId' = any(${repIds}::text[]))`;
}

/** A full file replaces earlier ones for the people in it; a file with what is new adds to them. */
function addUp(files: readonly HandedFile[]): ReadonlyMap<string, readonly CurrencySummary[]> {
  const people = new Map<string, readonly CurrencySummary[]>();
  for (const { scope, amounts } of files)
    for (const [repId, handed] of groupBy(amounts, (amount) => amount.repId)) {
      const before = scope === 'full' ? [] : (people.get(repId) ?? []);
      people.set(repId, totalsByCurrency([...before, ...handed]));
    }
  return people;
}

/** The same in SQL: the net payout of each person in the `files`, which have a period, a scope, amounts and a position. */
export const handedByPerson = sql`entries as (
      select f.period, (a->>'repId')::uuid as rep_id, a->>'currency' as currency,
        (a->'summary'->>'netPayout')::numeric as net, f.position,
        max(f.position) filter (where f.scope = 'full') over (partition by f.period, a->>'repId') as full_position
      from files f cross join lateral jsonb_array_elements(f.amounts) a
    ), handed as (
      select period, rep_id, currency, sum(net) as net from entries
      where position >= coalesce(full_position, 0)
      group by period, rep_id, currency
    )`;

/** What was not handed over of the amounts of a person, in every currency in which there is a difference. */
export function newAmounts(amounts: readonly CurrencySummary[], handed: readonly CurrencySummary[]): CurrencySummary[] {
  const negated = handed.map(({ currency, summary }) => ({ currency, summary: negate(summary) }));
  return totalsByCurrency([...amounts, ...negated]).filter(
    ({ summary: { totalCommission, totalBonuses, totalAdjustments } }) =>
      [totalCommission, totalBonuses, totalAdjustments].some((amount) => !Decimal.of(amount).isZero()),
  );
}

function negate({ totalCommission, totalBonuses, totalAdjustments }: Summary): Summary {
  return summaryFrom(
    Decimal.of(totalCommission).negated(),
    Decimal.of(totalBonuses).negated(),
    Decimal.of(totalAdjustments).negated(),
  );
}

/** The net payouts that the files contain for the people, by currency. */
export function handedTotals(
  { people }: HandedAmounts,
  repIds: readonly string[],
): { currency: string; netPayout: number }[] {
  const amounts = repIds.flatMap((repId) => people.get(repId) ?? []);
  const sums = sumsByCurrency(amounts.map(({ currency, summary }) => ({ currency, amount: summary.netPayout })));
  return [...sums].map(([currency, netPayout]) => ({ currency, netPayout: netPayout.toNumber() }));
}
