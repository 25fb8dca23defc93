import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Rate } from './keep-books.js';
import { type Month } from './month.js';
import { type SpreadTerms } from './schedule.js';

/**
 * How a row was treated when a month was closed. Treatment, policy, rate and percentage of tax stay; terms may change in
 * later months.
 */
export interface ClosedLot {
  readonly entity: string;
  readonly repId: string;
  /** The key of its row. */
  readonly key: string;
  /** The first month that was closed with this content. */
  readonly month: Month;
  readonly content: ClosedTreatment;
}

export type ClosedTreatment =
  | { readonly treatment: 'expense' }
  | {
      readonly treatment: 'capitalise';
      readonly policy: { readonly name: string; readonly version: number };
      readonly terms: SpreadTerms;
      /** The rate of the earned day, as exact decimal texts; null for none. */
      readonly rate: { readonly day: Day; readonly numerator: string; readonly denominator: string } | null;
      /** The payroll tax in the cost, in percent. */
      readonly tax: string;
    };

/** The closed lots of a row in an entity, in the order of their months. */
export type ClosedLotsOf = (
  entity: string,
  row: { readonly repId: string; readonly key: string },
) => readonly ClosedLot[];

export async function loadClosedLots(tx: Transaction, repIds: readonly string[]): Promise<ClosedLotsOf> {
  const { rows } = await sql<ClosedLot>`
    select l.entity, l.rep_id as "repId", l.lot_key as key, l.month, l.content
    from accounting_lots l
    join accounting_closings c on c.workspace_id = l.workspace_id and c.month = l.month and c.version = l.version
      and c.closed_at <= ${tx.until}::timestamptz
      and (c.reopened_at is null or c.reopened_at > ${tx.until}::timestamptz)
    where l.workspace_id = ${tx.workspaceId} and l.rep_id = any(${repIds}::uuid[])
    order by l.month`.execute(tx.db);
  const byRow = groupBy(rows, ({ entity, repId, key }) => `${entity}|${repId}|${key}`);
  return (entity, { repId, key }) => byRow.get(`${entity}|${repId}|${key}`) ?? [];
}

export async function insertClosedLots(
  tx: Transaction,
  { month, version }: { readonly month: Month; readonly version: number },
  lots: readonly ClosedLot[],
): Promise<void> {
  if (lots.length === 0) return;
  await sql`
    insert into accounting_lots (workspace_id, month, version, entity, rep_id, lot_key, content)
    select ${tx.workspaceId}::uuid, ${month}, ${version}::smallint, entity, rep_id, lot_key, content
    from ${unnestRows(lots, [
      ['entity', 'text', ({ entity }) => entity],
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['lot_key', 'text', ({ key }) => key],
      ['content', 'jsonb', ({ content }) => JSON.stringify(content)],
    ])}`.execute(tx.db);
}

export function isSameTreatment(a: ClosedTreatment | undefined, b: ClosedTreatment): boolean {
  return isDeepStrictEqual(a, b);
}

export function readRate(rate: { readonly numerator: string; readonly denominator: string }): Rate {
  return { numerator: Decimal.of(rate.numerator), denominator: Decimal.of(rate.denominator) };
}

export function writeRate({ numerator, denominator }: Rate): { numerator: string; denominator: string } {
  return { numerator: numerator.toString(), denominator: denominator.toString() };
}
