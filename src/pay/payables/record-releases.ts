import { sql } from 'kysely';
import { type Clock } from '../../kernel/clock.js';
import { allDays, currentDay, type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { anyOf } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Facts, factOf } from '../../platform/files/facts.js';
import { recordEvents } from '../../platform/outbound/outgoing-events.js';
import { loadGroups } from './load-groups.js';
import { loadPayPeriods } from './payout-settings.js';
import { computeReleased } from './release.js';

/** What is released on some deals before a change. */
interface WatchedReleases {
  readonly dealIds: readonly string[];
  readonly repIds: readonly string[];
  readonly firstDay: Day;
  readonly day: Day;
  readonly released: ReadonlyMap<string, Release>;
}

interface Release {
  readonly repId: string;
  readonly dealId: string;
  readonly currency: string;
  readonly amount: Decimal;
}

/** Remembers what is released on the deals, before a change of what is paid on them. Null if no other system is to receive changes. */
async function watchReleases(
  tx: Transaction,
  dealIds: readonly string[],
  clock: Clock,
): Promise<WatchedReleases | null> {
  const workspace = await loadWorkspaceTerms(tx);
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return null;
  const { rows } = await sql<{ repId: string; dealId: string }>`
    select distinct rep_id as "repId", deal_key as "dealId" from commission_events
    where workspace_id = ${tx.workspaceId} and deal_key = ${anyOf('text', dealIds)} and kind = 'commission_earned'
      and status = 'earned'`.execute(tx.db);
  for (const earned of rows) tx.movedPay.push({ ...earned, days: allDays });
  if (!workspace.sendsEvents) return null;
  const repIds = [...new Set(rows.map(({ repId }) => repId))];
  const watched = { dealIds, repIds, firstDay: payPeriods.firstDay, day: currentDay(workspace, clock.now()) };
  return { ...watched, released: await sumReleases(tx, watched) };
}

/** Stores an outgoing event for each rep and deal of which more or less is released than before. */
async function recordReleases(tx: Transaction, before: WatchedReleases | null): Promise<void> {
  if (before === null) return;
  const after = await sumReleases(tx, before);
  const keys = [...new Set([...before.released.keys(), ...after.keys()])];
  const events = keys.flatMap((key) => {
    const [was, is] = [before.released.get(key), after.get(key)];
    const { repId, dealId, currency } = (is ?? was) as Release;
    const released = is?.amount ?? Decimal.zero;
    const change = released.minus(was?.amount ?? Decimal.zero);
    if (change.isZero()) return [];
    const data = { repId, dealId, currency, released: released.toNumber(), change: change.toNumber() };
    return [{ type: 'payable.released' as const, repId, data }];
  });
  await recordEvents(tx, events);
}

/** The facts of deals, whose changes report what they release. */
export function withReleases<Fact extends { readonly dealId: string }>(facts: Facts<Fact>): Facts<Fact> {
  return {
    ...facts,
    async store(tx, changes, by) {
      const dealIds = new Set(changes.map((change) => factOf(change).dealId));
      const watched = await watchReleases(tx, [...dealIds], by.clock);
      const affected = await facts.store(tx, changes, by);
      await recordReleases(tx, watched);
      return affected;
    },
  };
}

async function sumReleases(
  tx: Transaction,
  { dealIds, repIds, firstDay, day }: Omit<WatchedReleases, 'released'>,
): Promise<ReadonlyMap<string, Release>> {
  const sums = new Map<string, Release>();
  const ofDeals = new Set(dealIds);
  for (const [repId, groups] of await loadGroups(tx, repIds, firstDay))
    for (const group of groups) {
      const dealId = group.row.dealKey;
      if (dealId === null || !ofDeals.has(dealId)) continue;
      const key = `${repId}|${dealId}|${group.currency}`;
      const before = sums.get(key)?.amount ?? Decimal.zero;
      const amount = before.plus(computeReleased(group, day));
      sums.set(key, { repId, dealId, currency: group.currency, amount });
    }
  return sums;
}
