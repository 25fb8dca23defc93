import { sql } from 'kysely';
import { isRefundKey } from '../../engine/clawback.js';
import { asNumber } from '../../engine/field-value.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { requestAsJob } from '../../ledger/requests/request-as-job.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { anyOf, unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type BlockedPerson, findBlockedPeople } from '../change-credits.js';
import { dealNotFound } from '../deal-credit-views.js';
import {
  amountProblem,
  type RefundKey,
  type RefundTerms,
  refundNotFound,
  type StoredRefund,
  type WaiverTerms,
} from './refund.js';
import { replaceWaiver, storeRefunds } from './refund-store.js';
import { findRefund } from './refund-views.js';
import { loadLinesOfDeals } from './refunded-lines.js';

/** A write of refunds. */
export interface RefundWrite {
  readonly dealIds: readonly string[];
  readonly apply: (tx: Transaction) => Promise<unknown>;
}

export function putting(key: RefundKey, terms: RefundTerms): RefundWrite {
  return {
    dealIds: [key.dealId],
    apply: async (tx) => {
      assertWithinDeal(await loadDealAmounts(tx, [key.dealId]), key, terms);
      await assertWithinLines(tx, key, terms);
      await storeRefunds(tx, [{ ...key, terms }]);
    },
  };
}

export function removing(key: RefundKey): RefundWrite {
  return {
    dealIds: [key.dealId],
    apply: async (tx) => {
      if ((await findRefund(tx, key)) === null) throw refundNotFound();
      await storeRefunds(tx, [{ ...key, terms: null }]);
    },
  };
}

export function waiving(key: RefundKey, terms: WaiverTerms, caller: Caller): RefundWrite {
  return {
    dealIds: [key.dealId],
    apply: async (tx) => {
      const stored = await findRefund(tx, key);
      if (stored === null) throw refundNotFound();
      if (terms.repId !== null) await assertRepExists(tx, terms.repId);
      await assertNotOwn(tx, caller, stored, terms);
      await replaceWaiver(tx, stored, terms);
    },
  };
}

/** What a waiver leaves to the person who enters it, another admin must decide. */
async function assertNotOwn(tx: Transaction, caller: Caller, { dealId }: StoredRefund, { repId }: WaiverTerms) {
  const people = peopleBehind(caller);
  const earners = repId === null ? await listEarners(tx, dealId) : [repId];
  if (people.some((person) => earners.includes(person)))
    throw new Failure('forbidden', 'You cannot waive what would be taken back from you. Another admin must do it.');
}

interface OwnRefund extends RefundKey {
  readonly day: Day;
  readonly cause: string;
  readonly amount: string | null;
  readonly lines: string | null;
}

/** The refunds of the deals on which one of the people has earned. */
async function loadOwnRefunds(
  tx: Transaction,
  people: readonly string[],
  dealIds: readonly string[],
): Promise<OwnRefund[]> {
  if (people.length === 0) return [];
  const earned = (await loadEarned(tx, dealIds)).filter(({ repId }) => people.includes(repId));
  return loadRefunds(tx, [...new Set(earned.map(({ dealId }) => dealId))]);
}

async function loadRefunds(tx: Transaction, dealIds: readonly string[]): Promise<OwnRefund[]> {
  if (dealIds.length === 0) return [];
  const { rows } = await sql<OwnRefund>`
    select deal_id as "dealId", refund_id as "refundId", day::text as day, cause, amount::text as amount,
      lines::text as lines from deal_refunds
    where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)}`.execute(tx.db);
  return rows;
}

/** To delete, shrink or move what is taken back from oneself is to waive it. Another refund only takes more. */
async function assertUnchanged(tx: Transaction, before: readonly OwnRefund[]): Promise<void> {
  const toText = (refund: OwnRefund) => JSON.stringify(refund);
  const after = new Set(
    (
      await loadRefunds(
        tx,
        before.map(({ dealId }) => dealId),
      )
    ).map(toText),
  );
  const changed = before.find((refund) => !after.has(toText(refund)));
  if (changed === undefined) return;
  throw new Failure(
    'forbidden',
    `Refund ${changed.refundId} of deal ${changed.dealId} takes commission back from you, so you cannot change or remove it. Another admin must do it.`,
  );
}

/** The amounts of the deals that exist, as decimal text; null for a deal without an amount. */
export type DealAmounts = ReadonlyMap<string, string | null>;

export async function loadDealAmounts(tx: Transaction, dealIds: readonly string[]): Promise<DealAmounts> {
  const { rows } = await sql<{ dealId: string; amount: string | null }>`
    select deal_id as "dealId", amount::text as amount from deals
    where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)} and deleted_at is null`.execute(
    tx.db,
  );
  return new Map(rows.map(({ dealId, amount }) => [dealId, amount]));
}

/** The refund is of a deal, and at most the whole of it. */
export function assertWithinDeal(amounts: DealAmounts, { dealId }: RefundKey, { amount }: RefundTerms): void {
  const stored = amounts.get(dealId);
  if (stored === undefined) throw dealNotFound();
  const problem = amountProblem(stored === null ? null : Decimal.of(stored), amount);
  if (problem === null) return;
  throw stored === null ? invalid({ path: 'amount', message: problem }) : new Failure('refund_exceeds_deal', problem);
}

/** The lines that the refund names are lines of the deal, and it gives back at most the whole of each. */
async function assertWithinLines(tx: Transaction, { dealId }: RefundKey, { amount, lines }: RefundTerms) {
  if (lines === undefined) return;
  if (amount !== null) throw invalid({ path: 'amount', message: 'cannot be combined with lines' });
  const ofDeal = (await loadLinesOfDeals(tx, [dealId])).get(dealId)?.lines ?? [];
  for (const { lineId, amount: ofRefund } of lines) {
    const line = ofDeal.find((one) => one.lineId === lineId);
    if (line === undefined) throw new Failure('line_not_found', `The deal has no line ${lineId}.`, { lineId });
    const net = asNumber(line.amount);
    if (net === null || net.sign() <= 0)
      throw new Failure('line_not_refundable', `Line ${lineId} has no amount above 0 to give back.`, { lineId });
    if (ofRefund !== null && net.isLessThan(Decimal.of(ofRefund)))
      throw new Failure('refund_exceeds_line', `The net amount of line ${lineId} is ${net}; a refund cannot be more.`, {
        lineId,
      });
  }
}

/** What a write of refunds changes, and for whom. */
export interface ChangedRefunds {
  readonly affected: ReadonlyMap<string, DayRange>;
  readonly blocked: readonly BlockedPerson[];
}

/**
 * Writes, unless it takes less back from one of the people, who are behind the request, and finds everyone who has earned on the deals, with the days of their refunds before and after: each refund
 * depends on those before it.
 */
export async function changeRefunds(
  tx: Transaction,
  { dealIds, apply }: RefundWrite,
  people: readonly string[],
): Promise<ChangedRefunds> {
  const before = await loadRefundDays(tx, dealIds);
  const own = await loadOwnRefunds(tx, people, dealIds);
  await apply(tx);
  if (own.length > 0) await assertUnchanged(tx, own);
  const after = await loadRefundDays(tx, dealIds);
  const affected = await findAffected(tx, dealIds, joinDays(before, after));
  // The books of a lot read the refunds of its deal, also where no one has earned on it.
  tx.markAffected([null, ...affected.keys()]);
  return { affected, blocked: await findBlockedPeople(tx, affected) };
}

/** Requests the calculation of everyone affected, as one job. Returns its id. */
export async function requestRefundCalculation(
  tx: Transaction,
  recalculate: Recalculate,
  caller: Caller,
  dealIds: readonly string[],
  { affected }: ChangedRefunds,
): Promise<string> {
  const [dealId] = dealIds.length === 1 ? dealIds : [];
  const requests = [...affected].map(([repId, days]) => ({ repId, days, dealId }));
  return requestAsJob(tx, recalculate, caller, { trigger: 'refund', requests, deals: dealIds.length, dealId });
}

type DaysByDeal = ReadonlyMap<string, readonly Day[]>;

async function loadRefundDays(tx: Transaction, dealIds: readonly string[]): Promise<DaysByDeal> {
  const { rows } = await sql<{ dealId: string; days: Day[] }>`
    select deal_id as "dealId", array_agg(day::text) as days from deal_refunds
    where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)} group by deal_id`.execute(tx.db);
  return new Map(rows.map(({ dealId, days }) => [dealId, days]));
}

function joinDays(before: DaysByDeal, after: DaysByDeal): DaysByDeal {
  return new Map(
    [...new Set([...before.keys(), ...after.keys()])].map((dealId) => [
      dealId,
      [...(before.get(dealId) ?? []), ...(after.get(dealId) ?? [])],
    ]),
  );
}

interface EarnedDays {
  readonly repId: string;
  readonly dealId: string;
  readonly dealKey: string;
  readonly day: Day;
}

/** Everyone who has earned on the deals, with the days of their refunds. */
export async function findRefundedPeople(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, DayRange>> {
  return findAffected(tx, dealIds, await loadRefundDays(tx, dealIds));
}

/** The days of the refunds, of each person not before the day on which the person earned. */
async function findAffected(
  tx: Transaction,
  dealIds: readonly string[],
  refundDays: DaysByDeal,
): Promise<ReadonlyMap<string, DayRange>> {
  const affected = new Map<string, DayRange>();
  const add = (repId: string, day: Day) => {
    const known = affected.get(repId) ?? { from: day, to: day };
    affected.set(repId, { from: day < known.from ? day : known.from, to: day > known.to ? day : known.to });
  };
  for (const { repId, dealId, dealKey, day } of await loadEarned(tx, dealIds)) {
    if (isRefundKey(dealKey)) add(repId, day);
    else for (const refundDay of refundDays.get(dealId) ?? []) add(repId, refundDay > day ? refundDay : day);
  }
  return affected;
}

/** Everyone who has earned on the deal. */
export async function listEarners(tx: Transaction, dealId: string): Promise<string[]> {
  return [...new Set((await loadEarned(tx, [dealId])).map(({ repId }) => repId))];
}

/**
 * What everyone has earned on the deals, also by true-up, and what their refunds took back. The owners and the people on
 * credit lines are included, since a calculation of what they earn may be running.
 */
async function loadEarned(tx: Transaction, dealIds: readonly string[]): Promise<EarnedDays[]> {
  if (dealIds.length === 0) return [];
  const { rows } = await sql<EarnedDays>`
    with keys as materialized (
      select id, id as deal_key from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])}
      union all
      select distinct deal_id, 'refund:' || deal_id || ':' || refund_id from deal_refund_history
      where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)}
    )
    select rep_id as "repId", deal_id as "dealId", deal_id as "dealKey", close_date as day from (
      select rep_id, deal_id, close_date from deals
      where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)} and deleted_at is null
      union
      select rep_id, deal_id, close_date from deal_participations
      where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)}
    ) d
    where rep_id is not null and close_date is not null
    union
    select e.rep_id as "repId", k.id as "dealId", e.deal_key as "dealKey", e.earned_on as day
    from keys k cross join lateral (
      select rep_id, deal_key, earned_on from commission_events
      where workspace_id = ${tx.workspaceId} and deal_key = k.deal_key and kind = 'commission_earned' and status = 'earned'
      union all
      select rep_id, deal_key, earned_on from trued_up_rows
      where workspace_id = ${tx.workspaceId} and deal_key = k.deal_key
      offset 0
    ) e`.execute(tx.db);
  return rows;
}
