import { groupBy } from '../kernel/group-by.js';
import { markAffected } from '../platform/database/cache-versions.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type DealContent, type ReadContent } from './deal.js';
import { DealOwners } from './deal-owners.js';
import {
  type DealInsert,
  type DealWrite,
  dealInsert,
  insertDeals,
  insertSnapshots,
  lockContents,
  lockDeals,
  type StoredDeal,
  snapshotDeals,
  touchDeals,
  updateDeals,
} from './deal-store.js';

/** A deal as some source tells it: the API, a file, a CRM. */
export interface IncomingDeal extends ReadContent {
  readonly dealId: string;
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
  readonly before: StoredDeal | null;
  readonly after: Pick<StoredDeal, 'repId' | 'closeDate'>;
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
  deals: readonly IncomingDeal[],
  options: { readonly keepStale?: boolean } = {},
): Promise<RecordedDeals> {
  return writeDeals(trx, await decideDeals(trx, workspaceId, deals), options);
}

/** How deals that say only a part are completed with what is stored of them. */
export interface Completion {
  complete(deals: readonly IncomingDeal[], stored: ReadonlyMap<string, DealContent>): readonly IncomingDeal[];
  /** Awaited before a statement that does not go with the first ones. */
  beforeNextRead(): Promise<unknown>;
}

/** Deals that are locked and compared with what stands; nothing is written yet. */
export interface DecidedDeals {
  readonly workspaceId: string;
  readonly outcomes: Outcome[];
  readonly settled: readonly Settled[];
  /** Those that are new, in the form in which they are sent. */
  readonly insert: DealInsert;
}

/** The first half of recording deals. */
export async function decideDeals(
  trx: Work,
  workspaceId: string,
  deals: readonly IncomingDeal[],
  owners = new DealOwners(trx, workspaceId),
  completion: Completion | null = null,
): Promise<DecidedDeals & { readonly incoming: readonly IncomingDeal[] }> {
  const outcomes: Outcome[] = new Array(deals.length).fill('unknown_rep');
  const dealIds = deals.map((deal) => deal.dealId);
  // In one round trip: neither needs the result of the other.
  const [standing] = await Promise.all([lockDeals(trx, workspaceId, dealIds), owners.preload(deals)]);
  const incoming = completion === null ? deals : await complete(trx, workspaceId, deals, standing, completion, owners);
  await failpoint('record.afterLock');
  const news: News[] = [];
  for (const [position, deal] of incoming.entries()) {
    const repId = owners.of(deal.projection);
    if (repId !== undefined) news.push(newsOf(position, deal, repId));
  }
  return { ...decideNews(workspaceId, news, standing, outcomes), incoming };
}

/**
 * Only deals that differ from what is stored are read once more, and deals that come several times: an import that says what is
 * stored anyway, and one of new deals, read nothing.
 */
async function complete(
  trx: Work,
  workspaceId: string,
  deals: readonly IncomingDeal[],
  standing: ReadonlyMap<string, StoredDeal>,
  completion: Completion,
  owners: DealOwners,
): Promise<readonly IncomingDeal[]> {
  const differing = new Set<string>();
  const seen = new Set<string>();
  let isRepeated = false;
  for (const { dealId, content } of deals) {
    const stored = standing.get(dealId);
    const repeats = seen.has(dealId);
    isRepeated ||= repeats;
    if (stored !== undefined && !stored.deleted && (repeats || stored.contentHash !== content.hash))
      differing.add(dealId);
    seen.add(dealId);
  }
  if (differing.size === 0 && !isRepeated) return deals;
  await completion.beforeNextRead();
  const incoming = completion.complete(deals, await lockContents(trx, workspaceId, [...differing]));
  await owners.preload(incoming);
  return incoming;
}

/** The second half: to be done before anything else is decided of the same deals. */
export async function writeDeals(
  trx: Work,
  decided: DecidedDeals,
  { keepStale = false }: { readonly keepStale?: boolean } = {},
): Promise<RecordedDeals> {
  const settled = await writeDecided(trx, decided);
  const stale = keepStale ? settled.flatMap((one) => one.stale) : [];
  await insertSnapshots(trx, decided.workspaceId, stale);
  return { outcomes: decided.outcomes, changes: settled.flatMap((one) => changeOf(one) ?? []) };
}

interface News extends DealWrite {
  readonly position: number;
}

function newsOf(position: number, deal: IncomingDeal, repId: string | null): News {
  const { dealId, content, projection, provider, sourceUpdatedAt, fetchedAt = null } = deal;
  return { position, dealId, content, projection, repId, provider, sourceUpdatedAt, fetchedAt };
}

interface Settled {
  readonly dealId: string;
  readonly standing: StoredDeal | undefined;
  readonly news: readonly News[];
  readonly accepted: readonly DealWrite[];
  readonly stale: readonly DealWrite[];
  /** The newest time that the source has named. */
  readonly sourceUpdatedAt: Date | null;
}

function decideNews(
  workspaceId: string,
  news: readonly News[],
  standing: ReadonlyMap<string, StoredDeal>,
  outcomes: Outcome[],
): DecidedDeals {
  const byDeal = groupBy(news, (one) => one.dealId);
  const dealIds = [...byDeal.keys()].sort();
  const settled = dealIds.map((dealId) => decide(dealId, byDeal.get(dealId) as News[], standing.get(dealId), outcomes));
  const fresh = settled.filter((one) => one.standing === undefined);
  return { workspaceId, outcomes, settled, insert: dealInsert(workspaceId, fresh.map(lastWrite)) };
}

async function writeDecided(trx: Work, { workspaceId, outcomes, settled, insert }: DecidedDeals): Promise<Settled[]> {
  // What another transaction has added since the look is there now, and is compared with once more.
  const overtaken = await insertDeals(trx, insert);
  const kept = settled.filter((one) => !overtaken.has(one.dealId));
  await failpoint('record.midWrite');
  await writeKept(trx, workspaceId, kept);
  if (overtaken.size === 0) return kept;
  const again = settled.filter((one) => overtaken.has(one.dealId)).flatMap((one) => one.news);
  const standing = await lockDeals(trx, workspaceId, [...overtaken]);
  return [...kept, ...(await writeDecided(trx, decideNews(workspaceId, again, standing, outcomes)))];
}

async function writeKept(trx: Work, workspaceId: string, kept: readonly Settled[]): Promise<void> {
  markAffected(trx, ownersOf(kept));
  const replaced = kept.filter((one) => one.standing !== undefined && one.accepted.length > 0);
  // In this order: what stood goes into the history before what has replaced it within the same message.
  await Promise.all([
    snapshotDeals(
      trx,
      workspaceId,
      replaced.map((one) => one.dealId),
    ),
    insertSnapshots(
      trx,
      workspaceId,
      kept.flatMap(({ accepted }) => (accepted.length > 1 ? accepted.slice(0, -1) : [])),
    ),
    updateDeals(trx, workspaceId, replaced.map(lastWrite)),
    touchDeals(
      trx,
      workspaceId,
      kept.flatMap((one) => retold(one) ?? []),
    ),
  ]);
}

/** Whose deals are written: before and after. */
function ownersOf(kept: readonly Settled[]): Set<string | null> {
  const owners = new Set<string | null>();
  for (const one of kept) {
    const last = one.accepted.at(-1);
    if (last === undefined && retold(one) === null) continue;
    if (one.standing !== undefined) owners.add(one.standing.repId);
    if (last !== undefined) owners.add(last.repId);
  }
  return owners;
}

/** What comes of the news of one deal, the outcome of each put into its place. */
function decide(dealId: string, news: readonly News[], standing: StoredDeal | undefined, outcomes: Outcome[]): Settled {
  let { contentHash = null, repId = null, sourceUpdatedAt = null, fetchedAt = null } = standing ?? {};
  let exists = standing !== undefined;
  const accepted: DealWrite[] = [];
  const stale: DealWrite[] = [];
  for (const one of news) {
    // What the CRM said before it said that the deal is gone comes late, whatever time the deal itself names.
    const isLate = isOlder(one.fetchedAt, standing?.deletedAt ?? null);
    const isStale = isOlder(one.sourceUpdatedAt, sourceUpdatedAt);
    // CRMs stamp whole seconds: of what they stamped alike, what they were asked for first is older.
    const isOvertaken = isSame(one.sourceUpdatedAt, sourceUpdatedAt) && isOlder(one.fetchedAt, fetchedAt);
    if (isLate || isStale || isOvertaken) {
      outcomes[one.position] = 'stale';
      stale.push(one);
      continue;
    }
    sourceUpdatedAt = one.sourceUpdatedAt ?? sourceUpdatedAt;
    const same = exists && one.content.hash === contentHash && one.repId === repId;
    outcomes[one.position] = same ? 'unchanged' : exists ? 'changed' : 'created';
    if (same) continue;
    ({ repId, fetchedAt } = one);
    contentHash = one.content.hash;
    exists = true;
    accepted.push(at(one, sourceUpdatedAt));
  }
  return { dealId, standing, news, accepted, stale, sourceUpdatedAt };
}

function at(write: DealWrite, sourceUpdatedAt: Date | null): DealWrite {
  return write.sourceUpdatedAt === sourceUpdatedAt ? write : { ...write, sourceUpdatedAt };
}

function isSame(told: Date | null, known: Date | null): boolean {
  return told?.getTime() === known?.getTime();
}

function isOlder(told: Date | null, known: Date | null): boolean {
  return told !== null && known !== null && told.getTime() < known.getTime();
}

function lastWrite({ accepted, sourceUpdatedAt }: Settled): DealWrite {
  return at(accepted.at(-1) as DealWrite, sourceUpdatedAt);
}

/** A standing deal of which the source has only said again, but later, what is known. */
function retold({ dealId, standing, accepted, sourceUpdatedAt }: Settled): { dealId: string; at: Date } | null {
  if (accepted.length > 0 || sourceUpdatedAt === null) return null;
  return sourceUpdatedAt.getTime() === standing?.sourceUpdatedAt?.getTime() ? null : { dealId, at: sourceUpdatedAt };
}

function changeOf({ dealId, standing, accepted }: Settled): DealChange | null {
  const last = accepted.at(-1);
  if (last === undefined) return null;
  const before = standing === undefined || standing.deleted ? null : standing;
  return { dealId, before, after: { repId: last.repId, closeDate: last.projection.closeDate } };
}
