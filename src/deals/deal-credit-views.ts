import { sql } from 'kysely';
import { type CreditLine } from '../engine/credit-lines.js';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { allLines, type CreditLineRecord, type EnteredLine, type StoredCredits } from './deal-credits.js';
import { type DealHead, findDealHeads } from './deal-heads.js';

export interface CreditedDeal extends DealHead {
  readonly credits: StoredCredits | null;
}

/**
 * The deal with its lines, in a transaction with `asOf` as they were at that instant. A caller who does not see everyone
 * sees the deals on which someone whom they see has a part, and gets the same error for every other id.
 */
export async function findCreditedDeal(tx: Transaction, caller: Caller, dealId: string): Promise<CreditedDeal> {
  const deal = await loadCreditedDeal(tx, dealId);
  const visible = visibleReps(caller);
  const isVisible =
    deal !== null &&
    (visible === null ||
      allLines(deal.credits, deal.ownerId).some(({ repId }) => repId !== null && visible.includes(repId)));
  if (!isVisible) throw dealNotFound();
  return deal;
}

export function dealNotFound(): Failure {
  return new Failure('deal_not_found', 'There is no deal with this id in this workspace.');
}

/** The deal with its lines, in a transaction with `asOf` as they were at that instant; null if there is none. */
export async function loadCreditedDeal(tx: Transaction, dealId: string): Promise<CreditedDeal | null> {
  const head = (await findDealHeads(tx, [dealId])).get(dealId);
  if (head === undefined) return null;
  const ofDeal = sql`workspace_id = ${tx.workspaceId} and deal_id = ${dealId}`;
  const { rows } = await (tx.asOf === null
    ? sql<Pick<CreditedDeal, 'credits'>>`select credits from deals where ${ofDeal}`
    : sql<Pick<CreditedDeal, 'credits'>>`
        select credits from deal_credit_history where ${ofDeal} and changed_at <= ${tx.until}::timestamptz
        order by position desc limit 1`
  ).execute(tx.db);
  return { ...head, credits: rows[0]?.credits ?? null };
}

/** The lines of the deal, its owner's included; null if the deal is its owner's. */
export async function loadLines(tx: Transaction, dealId: string): Promise<readonly CreditLine[] | null> {
  const deal = await loadCreditedDeal(tx, dealId);
  return deal === null || deal.credits === null ? null : allLines(deal.credits, deal.ownerId);
}

/** The lines with the names of the people. */
export async function toLineRecords(tx: Transaction, lines: readonly CreditLine[]): Promise<CreditLineRecord[]> {
  const names = await findRepNames(
    tx,
    lines.flatMap(({ repId }) => repId ?? []),
  );
  return lines.map(({ repId, kind, role, percent, affects, source, rule }) => ({
    repId,
    repName: repId === null ? null : (names.get(repId) ?? null),
    kind,
    role,
    percent: Number(percent),
    affects,
    source,
    ...(rule === undefined ? {} : { rule }),
  }));
}

/** The lines that people or the API gave for each of the deals. */
export async function listEnteredLines(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EnteredLine[]>> {
  const { rows } = await sql<EnteredLine & { readonly dealId: string }>`
    select deal_id as "dealId", rep_id as "repId", kind, role, trim_scale(percent)::text as percent, affects
    from deal_credits
    where workspace_id = ${tx.workspaceId} and source = 'api' and deal_id = any(${dealIds}::text[])
    order by deal_id, position`.execute(tx.db);
  const byDeal = groupBy(rows, ({ dealId }) => dealId);
  return new Map(dealIds.map((id) => [id, (byDeal.get(id) ?? []).map(({ dealId: _, ...line }) => line)]));
}
