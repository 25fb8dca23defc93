import { sql } from 'kysely';
import { addDays, type Day, type DayRange, latestDay } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Draw } from './draw.js';

export type DrawTerms = Omit<Draw, 'forgiven' | 'createdBy' | 'createdAt'>;

export async function insertDraw(tx: Transaction, terms: DrawTerms, createdBy: string): Promise<void> {
  const { drawId, repId, kind, recoverable, amount, currency, from } = terms;
  await tx.db
    .insertInto('draws')
    .values({
      workspace_id: tx.workspaceId,
      draw_id: drawId,
      rep_id: repId,
      kind,
      recoverable,
      amount: String(amount),
      currency,
      from_day: from,
      created_by: createdBy,
      ...changing(terms),
    })
    .execute();
  await recordTerms(tx, terms);
}

export async function updateDrawRow(tx: Transaction, terms: DrawTerms): Promise<void> {
  await tx.db
    .updateTable('draws')
    .set(changing(terms))
    .where('workspace_id', '=', tx.workspaceId)
    .where('draw_id', '=', terms.drawId)
    .execute();
  await recordTerms(tx, terms);
}

/** Reads of an earlier instant still have the draw. */
export async function removeDraw(tx: Transaction, drawId: string): Promise<void> {
  await tx.db
    .updateTable('draws')
    .set({ deleted_at: sql`now()` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('draw_id', '=', drawId)
    .execute();
}

async function recordTerms(tx: Transaction, terms: DrawTerms): Promise<void> {
  await tx.db
    .insertInto('draw_history')
    .values({ workspace_id: tx.workspaceId, draw_id: terms.drawId, ...changing(terms) })
    .execute();
}

function changing({ to, recovery }: DrawTerms) {
  return {
    to_day: to,
    recovery_start: recovery.start,
    recovery_day: recovery.day,
    recovery_percent: String(recovery.maxPercent),
    forgive_on: recovery.forgiveOn,
  };
}

interface Forgiveness {
  readonly drawId: string;
  readonly amount: number;
  readonly day: Day;
  readonly reason: string;
  readonly by: string;
}

export async function insertForgiveness(tx: Transaction, { drawId, amount, day, reason, by }: Forgiveness) {
  await tx.db
    .insertInto('draw_forgiveness')
    .values({
      workspace_id: tx.workspaceId,
      draw_id: drawId,
      forgiveness_id: newId(),
      amount: String(amount),
      forgiven_on: day,
      reason,
      forgiven_by: by,
    })
    .execute();
}

/** Draws need pay periods: an amount is one for each of them. */
export async function assertPayoutsOn(tx: Transaction): Promise<void> {
  const { rows } = await sql<{ isOn: boolean }>`
    select payouts is not null as "isOn" from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  if (rows[0]?.isOn !== true)
    throw new Failure('payouts_off', 'Draws are paid with the statements of pay periods. Enable payouts first.');
}

/** Two draws of one kind and person have no day in common. */
export async function assertNoOverlap(tx: Transaction, { drawId, repId, kind, from, to }: DrawTerms): Promise<void> {
  const { rows } = await sql<{ from: Day; to: Day | null }>`
    select from_day as "from", to_day as "to" from draws
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and kind = ${kind} and draw_id <> ${drawId}
      and deleted_at is null
      and from_day <= coalesce(${to}::date, 'infinity') and coalesce(to_day, 'infinity') >= ${from}::date
    order by from_day limit 1`.execute(tx.db);
  const [other] = rows;
  if (other === undefined) return;
  throw new Failure(
    'draw_overlap',
    `The rep has ${kind === 'guarantee' ? 'a guarantee' : 'an advance'} from ${other.from}${other.to === null ? '' : ` to ${other.to}`} already. Change the dates, or end that one.`,
    { from: other.from, to: other.to },
  );
}

/** The days on which one of the two ends grants something and the other does not. */
export function changedDays(before: Day | null, after: Day | null): DayRange {
  const [first = latestDay, last = latestDay] = [before ?? latestDay, after ?? latestDay].sort();
  return { from: addDays(first, 1), to: last };
}

/** What an approved statement has granted stays: its days do not change. */
export async function assertOpenDays(
  tx: Transaction,
  repId: string,
  { from, to }: { readonly from: Day; readonly to: Day | null },
): Promise<void> {
  const { rows } = await sql<{ period: string }>`
    select period from statement_periods
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and status = 'approved'
      and from_day <= coalesce(${to}::date, 'infinity') and to_day >= ${from}::date
      and exists (select from workspaces w where w.workspace_id = ${tx.workspaceId}
        and to_day >= (w.payouts -> 0 ->> 'from')::date)
    order by from_day limit 1`.execute(tx.db);
  const [approved] = rows;
  if (approved === undefined) return;
  throw new Failure(
    'statement_locked',
    `The statement for ${approved.period} is approved. Begin after it, or unlock it first.`,
    { period: approved.period },
  );
}
