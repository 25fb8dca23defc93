import { groupBy } from '../kernel/group-by.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type DealContent, type DealTerms, projectDeal, storedContent } from './deal.js';
import { DealOwners } from './deal-owners.js';
import {
  type DealWrite,
  insertDeals,
  insertSnapshots,
  lockDeals,
  type StandingDeal,
  snapshotDeals,
  touchDeals,
  updateDeals,
} from './deal-store.js';

/** A deal as some source tells it: the API, a file, a CRM. */
export interface IncomingDeal {
  readonly dealId: string;
  readonly content: DealContent;
  readonly sourceUpdatedAt: Date | null;
  /** The CRM that says so; null for the API and for files. */
  readonly provider: string | null;
  /** When the CRM was asked for it; absent for what was sent to us. */
  readonly fetchedAt?: Date;
}

/** `stale`: older than what is known already. `unknown_rep`: given to a rep that does not exist. */
export type Outcome = 'created' | 'changed' | 'unchanged' | 'stale' | 'unknown_rep';

/** What became of a deal whose content or owner changed; before is null for a new or a revived one. */
export interface DealChange {
  readonly dealId: string;
  readonly before: StandingDeal | null;
  readonly after: Pick<StandingDeal, 'repId' | 'closeDate'>;
}

export interface RecordedDeals {
  /** One for every deal that came in, in its place. */
  readonly outcomes: readonly Outcome[];
  readonly changes: readonly DealChange[];
}

/**
 * The one way in for deals. Each is compared with what stands, in the order given, so a deal that comes twice is
 * settled as if it had come on two days: older news change nothing, equal content writes nothing, everything else
 * replaces the deal and appends to its history. With keepStale the history keeps the older news as well.
 */
export async function recordDeals(
  trx: Work,
  workspaceId: string,
  terms: DealTerms,
  deals: readonly IncomingDeal[],
  owners = new DealOwners(trx, workspaceId),
  { keepStale = false }: { readonly keepStale?: boolean } = {},
): Promise<RecordedDeals> {
  const outcomes: Outcome[] = new Array(deals.length);
  const projections = deals.map((deal) => projectDeal(deal.content, terms));
  await owners.learn(projections);
  const news: News[] = [];
  for (const [position, projection] of projections.entries()) {
    const { dealId, content, sourceUpdatedAt, provider, fetchedAt = null } = deals[position] as IncomingDeal;
    const repId = owners.of(projection);
    if (repId === undefined) outcomes[position] = 'unknown_rep';
    else
      news.push({
        position,
        fetchedAt,
        write: { dealId, content: storedContent(content), projection, repId, provider, sourceUpdatedAt },
      });
  }
  const settled = await settle(trx, workspaceId, news);
  if (keepStale)
    await insertSnapshots(
      trx,
      workspaceId,
      settled.flatMap((one) => one.stale),
    );
  for (const one of settled) for (const [position, outcome] of one.outcomes) outcomes[position] = outcome;
  return { outcomes, changes: settled.flatMap((one) => changeOf(one)) };
}

interface News {
  readonly position: number;
  readonly fetchedAt: Date | null;
  readonly write: DealWrite;
}

interface Settled {
  readonly dealId: string;
  readonly standing: StandingDeal | undefined;
  readonly news: readonly News[];
  readonly outcomes: readonly (readonly [position: number, outcome: Outcome])[];
  readonly accepted: readonly DealWrite[];
  readonly stale: readonly DealWrite[];
  /** The newest time that the source has named. */
  readonly sourceUpdatedAt: Date | null;
}

async function settle(trx: Work, workspaceId: string, news: readonly News[]): Promise<Settled[]> {
  if (news.length === 0) return [];
  const byDeal = [...groupBy(news, (one) => one.write.dealId)].sort(([a], [b]) => (a < b ? -1 : 1));
  const standing = await lockDeals(
    trx,
    workspaceId,
    byDeal.map(([dealId]) => dealId),
  );
  await failpoint('record.afterLock');
  const settled = byDeal.map(([dealId, ofDeal]) => decide(dealId, ofDeal, standing.get(dealId)));
  const fresh = settled.filter((one) => one.standing === undefined);
  const inserted = await insertDeals(trx, workspaceId, fresh.map(lastWrite));
  // What another transaction has added since the look is there now, and is compared with once more.
  const overtaken = fresh.filter((one) => !inserted.has(one.dealId));
  const kept = settled.filter((one) => one.standing !== undefined || inserted.has(one.dealId));
  await failpoint('record.midWrite');
  await writeKept(trx, workspaceId, kept);
  const again = overtaken.flatMap((one) => one.news);
  return [...kept, ...(await settle(trx, workspaceId, again))];
}

async function writeKept(trx: Work, workspaceId: string, kept: readonly Settled[]): Promise<void> {
  const changed = kept.filter((one) => one.accepted.length > 0);
  const replaced = changed.filter((one) => one.standing !== undefined);
  const changedIds = changed.map((one) => one.dealId);
  // In this order: a version that was replaced within the same message stands before the one that replaced it.
  await Promise.all([
    updateDeals(trx, workspaceId, replaced.map(lastWrite)),
    touchDeals(trx, workspaceId, kept.flatMap(retold)),
    insertSnapshots(
      trx,
      workspaceId,
      changed.flatMap(({ accepted }) => accepted.slice(0, -1)),
    ),
    snapshotDeals(trx, workspaceId, changedIds),
  ]);
}

function decide(dealId: string, news: readonly News[], standing: StandingDeal | undefined): Settled {
  let { contentHash = null, repId = null, sourceUpdatedAt = null } = standing ?? {};
  let exists = standing !== undefined;
  const outcomes: [number, Outcome][] = [];
  const accepted: DealWrite[] = [];
  const stale: DealWrite[] = [];
  for (const { position, fetchedAt, write } of news) {
    // What the CRM said before it said that the deal is gone comes late, whatever time the deal itself names.
    if (isOlder(write.sourceUpdatedAt, sourceUpdatedAt) || isOlder(fetchedAt, standing?.deletedAt ?? null)) {
      outcomes.push([position, 'stale']);
      stale.push(write);
      continue;
    }
    sourceUpdatedAt = write.sourceUpdatedAt ?? sourceUpdatedAt;
    const same = exists && write.content.hash === contentHash && write.repId === repId;
    outcomes.push([position, same ? 'unchanged' : exists ? 'changed' : 'created']);
    if (same) continue;
    ({ repId } = write);
    contentHash = write.content.hash;
    exists = true;
    accepted.push({ ...write, sourceUpdatedAt });
  }
  return { dealId, standing, news, outcomes, accepted, stale, sourceUpdatedAt };
}

function isOlder(told: Date | null, known: Date | null): boolean {
  return told !== null && known !== null && told.getTime() < known.getTime();
}

function lastWrite({ accepted, sourceUpdatedAt }: Settled): DealWrite {
  return { ...(accepted.at(-1) as DealWrite), sourceUpdatedAt };
}

/** A standing deal of which the source has only said again, but later, what is known. */
function retold({ dealId, standing, accepted, sourceUpdatedAt }: Settled): { dealId: string; at: Date }[] {
  if (accepted.length > 0 || sourceUpdatedAt === null) return [];
  return sourceUpdatedAt.getTime() === standing?.sourceUpdatedAt?.getTime() ? [] : [{ dealId, at: sourceUpdatedAt }];
}

function changeOf({ dealId, standing, accepted }: Settled): DealChange[] {
  const last = accepted.at(-1);
  if (last === undefined) return [];
  const before = standing === undefined || standing.deleted ? null : standing;
  return [{ dealId, before, after: { repId: last.repId, closeDate: last.projection.closeDate } }];
}
