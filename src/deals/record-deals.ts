import { type DealLine } from '../engine/deal-line.js';
import { groupBy } from '../kernel/group-by.js';
import { inParallel } from '../kernel/waiting.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { applyCorrections, type CorrectedDeal, type CorrectionConflict, conflictsOf } from './apply-corrections.js';
import { type CreditSources, findCreditSources } from './credit-sources.js';
import { type DealContent } from './deal.js';
import { replaceReportedLines } from './deal-credit-store.js';
import { repsIn } from './deal-credits.js';
import { dealsWithReadLines, replaceDealLines } from './deal-line-store.js';
import { DealOwners } from './deal-owners.js';
import {
  type DealInsert,
  type DealWrite,
  dealInsert,
  insertDeals,
  insertSnapshots,
  lockContents,
  lockDeals,
  lockDealsWith,
  replaceDeals,
  type StoredDeal,
  updateCorrections,
  updateSourceTimes,
} from './deal-store.js';
import { type IncomingDeal } from './incoming-deal.js';
import { type CreditsChange, refreshCredits } from './refresh-credits.js';
import { type ReportedLine } from './reported-lines.js';
import { keepsStandardValues, unreadChanges } from './unread-changes.js';

/** `stale`: older than the stored deal. `unknown_rep`: names a rep that does not exist. */
export type Outcome = 'created' | 'changed' | 'unchanged' | 'stale' | 'unknown_rep';

/** A deal whose content or owner changed. `before` is null for a new or restored deal. */
export interface DealChange {
  readonly dealId: string;
  readonly before: StoredDeal | null;
  readonly after: Pick<StoredDeal, 'repId' | 'closeDate' | 'credits'>;
  /** Whether a calculation may read a value that changed. */
  readonly isRead: boolean;
}

interface RecordedDeals {
  /** One outcome for each incoming deal, in the same order. */
  readonly outcomes: readonly Outcome[];
  readonly changes: readonly DealChange[];
  /** Corrected values that the deals state otherwise. */
  readonly conflicts: readonly CorrectionConflict[];
}

/**
 * Stores deals from every source. Each deal is compared with the stored one in the given order, so a deal that
 * occurs twice in one call has the same result as in two calls: older data changes nothing, equal content writes
 * nothing, and everything else replaces the deal and appends to its history. With keepStale the history also gets
 * the older data.
 */
export async function recordDeals(
  tx: Transaction,
  deals: readonly IncomingDeal[],
  options: { readonly keepStale?: boolean } = {},
): Promise<RecordedDeals> {
  return writeDeals(tx, await decideDeals(tx, deals), options);
}

/** Completes partial deals with their stored content. */
export interface Completion {
  complete(deals: readonly IncomingDeal[], stored: ReadonlyMap<string, DealContent>): readonly IncomingDeal[];
  /** Awaited before a statement that cannot be pipelined with the first ones. */
  beforeNextRead(): Promise<unknown>;
}

/** Deals that are locked and compared with the stored ones. Nothing has been written yet. */
export interface DecidedDeals {
  readonly outcomes: Outcome[];
  readonly decisions: readonly Decision[];
  /** The insert statement for the new deals. */
  readonly insert: DealInsert;
}

/** The first step of recording deals: lock, compare, decide. */
export async function decideDeals(
  tx: Transaction,
  deals: readonly IncomingDeal[],
  owners = new DealOwners(tx),
  completion: Completion | null = null,
): Promise<DecidedDeals & { readonly incoming: readonly IncomingDeal[] }> {
  const outcomes: Outcome[] = new Array(deals.length).fill('unknown_rep');
  const dealIds = deals.map((deal) => deal.dealId);
  const current = await lockWithOwners(tx, dealIds, owners, deals);
  const completed = completion === null ? deals : await complete(tx, deals, current, completion, owners);
  const incoming = await applyCorrections(tx, completed, current, owners, async () => completion?.beforeNextRead());
  await failpoint('record.afterLock');
  const writes: IncomingWrite[] = [];
  for (const [position, deal] of incoming.entries()) {
    const repId = owners.resolve(deal.projection);
    if (repId !== undefined) writes.push(toWrite(position, deal, repId));
  }
  return { ...decideWrites(tx.workspaceId, writes, current, outcomes), incoming };
}

/** Locks the deals and looks up the owners that they name, in one statement. */
async function lockWithOwners(
  tx: Transaction,
  dealIds: readonly string[],
  owners: DealOwners,
  deals: readonly IncomingDeal[],
): Promise<ReadonlyMap<string, StoredDeal>> {
  const lookup = owners.lookup(deals);
  if (lookup === null) return lockDeals(tx, dealIds);
  const { deals: stored, others } = await lockDealsWith(tx, dealIds, lookup.query);
  lookup.add(others);
  return stored;
}

/**
 * Reads only the stored content of deals that differ or occur several times. An import without changes and an import
 * of new deals read nothing.
 */
async function complete(
  tx: Transaction,
  deals: readonly IncomingDeal[],
  current: ReadonlyMap<string, StoredDeal>,
  completion: Completion,
  owners: DealOwners,
): Promise<readonly IncomingDeal[]> {
  const differing = new Set<string>();
  const visited = new Set<string>();
  let isRepeated = false;
  for (const { dealId, content } of deals) {
    const stored = current.get(dealId);
    const repeats = visited.has(dealId);
    isRepeated ||= repeats;
    if (stored !== undefined && !stored.deleted && (repeats || stored.contentHash !== content.hash))
      differing.add(dealId);
    visited.add(dealId);
  }
  if (differing.size === 0 && !isRepeated) return deals;
  await completion.beforeNextRead();
  const incoming = completion.complete(deals, await lockContents(tx, [...differing]));
  await owners.preload(incoming);
  return incoming;
}

/** The second step: writes the decisions. Call it before deciding on the same deals again. */
export async function writeDeals(
  tx: Transaction,
  decided: DecidedDeals,
  { keepStale = false }: { readonly keepStale?: boolean } = {},
): Promise<RecordedDeals> {
  const { decisions, sources } = await writeDecided(tx, decided);
  const stale = keepStale ? decisions.flatMap((decision) => decision.stale) : [];
  await insertSnapshots(tx, stale);
  const products = await changeProducts(tx, sources, decisions);
  const credits = await changeCredits(tx, sources, decisions);
  return {
    outcomes: decided.outcomes,
    changes: decisions.flatMap((decision) => toChange(decision, credits, products) ?? []),
    conflicts: decisions.flatMap(listConflicts),
  };
}

/** Stores the products that the CRM reports for the written deals. Returns the deals of which a rule or a refund reads the change. */
async function changeProducts(
  tx: Transaction,
  { hasProducts }: CreditSources,
  decisions: readonly Decision[],
): Promise<ReadonlySet<string>> {
  const reported = decisions.flatMap(({ dealId, accepted }) => {
    const products = accepted.at(-1)?.products;
    return products === undefined ? [] : [[dealId, products] as const];
  });
  if (!hasProducts && reported.every(([, products]) => products.length === 0)) return new Set();
  return dealsWithReadLines(tx, await replaceDealLines(tx, 'crm', new Map(reported)));
}

type ChangedCredits = ReadonlyMap<string, Pick<CreditsChange, 'after'>>;

/** Stores the lines that the CRM reports for the written deals, and computes the lines that count on these. */
async function changeCredits(
  tx: Transaction,
  { hasRules, hasReported }: CreditSources,
  decisions: readonly Decision[],
): Promise<ChangedCredits> {
  const written = decisions.flatMap(({ dealId, accepted }) => (accepted.length > 0 ? [dealId] : []));
  const reported = decisions.flatMap(({ dealId, accepted }) => {
    const lines = accepted.at(-1)?.lines;
    return lines === undefined ? [] : [[dealId, lines] as const];
  });
  const isReplaced = hasReported || reported.some(([, lines]) => lines.length > 0);
  if (isReplaced) await replaceReportedLines(tx, new Map(reported));
  if (!hasRules && !isReplaced) return new Map();
  const changes = await refreshCredits(tx, written);
  tx.markAffected(changes.flatMap(({ after }) => repsIn(after)));
  return new Map(changes.map((change) => [change.dealId, change]));
}

interface AcceptedWrite extends DealWrite {
  readonly lines?: readonly ReportedLine[];
  readonly products?: readonly DealLine[];
}

interface IncomingWrite extends AcceptedWrite {
  readonly position: number;
}

function toWrite(position: number, deal: CorrectedDeal, repId: string | null): IncomingWrite {
  const { dealId, content, projection, provider, sourceUpdatedAt, fetchedAt = null, stored: corrections } = deal;
  const write = { position, dealId, content, projection, repId, provider, sourceUpdatedAt, fetchedAt, corrections };
  const { lines, products } = deal;
  return { ...write, ...(lines === undefined ? {} : { lines }), ...(products === undefined ? {} : { products }) };
}

interface Decision {
  readonly dealId: string;
  readonly current: StoredDeal | undefined;
  readonly writes: readonly IncomingWrite[];
  readonly accepted: readonly AcceptedWrite[];
  readonly stale: readonly DealWrite[];
  /** The latest time that the source reported. */
  readonly sourceUpdatedAt: Date | null;
  /** Whether a calculation may read a value that the accepted writes change. */
  readonly isRead: boolean;
}

function decideWrites(
  workspaceId: string,
  writes: readonly IncomingWrite[],
  current: ReadonlyMap<string, StoredDeal>,
  outcomes: Outcome[],
): DecidedDeals {
  const byDeal = groupBy(writes, (write) => write.dealId);
  const dealIds = [...byDeal.keys()].sort();
  const decisions = dealIds.map((dealId) =>
    decide(dealId, byDeal.get(dealId) as IncomingWrite[], current.get(dealId), outcomes),
  );
  const fresh = decisions.filter((decision) => decision.current === undefined);
  return { outcomes, decisions, insert: dealInsert(workspaceId, fresh.map(lastWrite)) };
}

interface Written {
  readonly decisions: readonly Decision[];
  readonly sources: CreditSources;
}

const nothingReported: CreditSources = { hasRules: false, hasReported: false, hasProducts: false };

async function writeDecided(tx: Transaction, { outcomes, decisions, insert }: DecidedDeals): Promise<Written> {
  // Deals that another transaction has inserted since the lock are now stored, so they are compared again.
  const { insertedByOthers, sources: sourcesOfInserted } = await insertDeals(tx, insert);
  const decided = decisions.filter((decision) => !insertedByOthers.has(decision.dealId));
  const unread = await unreadChanges(tx, decided.filter(changesOnlyFields).map(lastWrite));
  const written = decided.map((decision) => (unread.has(decision.dealId) ? { ...decision, isRead: false } : decision));
  await failpoint('record.midWrite');
  const sources = (await writeDecisions(tx, written)) ?? sourcesOfInserted;
  if (insertedByOthers.size === 0) {
    const isWritten = written.some(({ accepted }) => accepted.length > 0);
    return { decisions: written, sources: sources ?? (isWritten ? await findCreditSources(tx) : nothingReported) };
  }
  const again = decisions
    .filter((decision) => insertedByOthers.has(decision.dealId))
    .flatMap((decision) => decision.writes);
  const current = await lockDeals(tx, [...insertedByOthers]);
  const rest = await writeDecided(tx, decideWrites(tx.workspaceId, again, current, outcomes));
  return { decisions: [...written, ...rest.decisions], sources: await findCreditSources(tx) };
}

/** Returns the credit sources if a deal was replaced. */
async function writeDecisions(tx: Transaction, written: readonly Decision[]): Promise<CreditSources | null> {
  tx.markAffected(listOwners(written));
  const replaced = written.filter((decision) => decision.current !== undefined && decision.accepted.length > 0);
  // The order matters: the replaced deal is added to the history before the writes that follow it in the same
  // message.
  const [sources] = await inParallel(
    () => replaceDeals(tx, replaced.map(lastWrite)),
    () =>
      insertSnapshots(
        tx,
        written.flatMap(({ accepted }) => (accepted.length > 1 ? accepted.slice(0, -1) : [])),
      ),
    () => updateCorrections(tx, replaced.map(lastWrite)),
    () =>
      updateSourceTimes(
        tx,
        written.flatMap((decision) => timestampOnlyUpdate(decision) ?? []),
      ),
  );
  return sources;
}

/** Whether the writes replace a deal of a rep and change at most fields that no standard value is read from. */
function changesOnlyFields({ current, accepted }: Decision): boolean {
  const last = accepted.at(-1);
  if (current === undefined || last === undefined || current.deleted) return false;
  return current.repId !== null && keepsStandardValues(current, last);
}

/** The people with a part of the written deals: the owners before and after, and those on credit lines. */
function listOwners(written: readonly Decision[]): Set<string | null> {
  const owners = new Set<string | null>();
  for (const decision of written) {
    const last = decision.accepted.at(-1);
    if (last === undefined && timestampOnlyUpdate(decision) === null) continue;
    if (decision.current !== undefined) owners.add(decision.current.repId);
    for (const repId of repsIn(decision.current?.credits ?? null)) owners.add(repId);
    if (last !== undefined) owners.add(last.repId);
  }
  return owners;
}

type StoredState = { readonly [Name in keyof typeof nothingStored]: StoredDeal[Name] | null };
const nothingStored = { repId: null, contentHash: null, sourceUpdatedAt: null, fetchedAt: null, deletedAt: null };

/** Decides on the writes of one deal and sets the outcome of each at its position. */
function decide(
  dealId: string,
  writes: readonly IncomingWrite[],
  current: StoredDeal | undefined,
  outcomes: Outcome[],
): Decision {
  const stored: StoredState = current ?? nothingStored;
  const { deletedAt } = stored;
  let { repId, sourceUpdatedAt, fetchedAt } = stored;
  let contentHash = deletedAt === null ? stored.contentHash : null;
  let exists = current !== undefined;
  const accepted: AcceptedWrite[] = [];
  const stale: DealWrite[] = [];
  for (const write of writes) {
    if (isSuperseded(write, { sourceUpdatedAt, fetchedAt, deletedAt })) {
      outcomes[write.position] = 'stale';
      stale.push(write);
      continue;
    }
    if (accepted.length === 0 && isOfDeletedContent(write, stored)) {
      outcomes[write.position] = 'unchanged';
      continue;
    }
    sourceUpdatedAt = write.sourceUpdatedAt ?? sourceUpdatedAt;
    const same = write.content.hash === contentHash && write.repId === repId;
    outcomes[write.position] = same ? 'unchanged' : replacing(exists);
    if (same && write.corrections === undefined) continue;
    ({ repId, fetchedAt } = write);
    contentHash = write.content.hash;
    exists = true;
    accepted.push(at(write, sourceUpdatedAt));
  }
  return { dealId, current, writes, accepted, stale, sourceUpdatedAt, isRead: true };
}

function replacing(exists: boolean): Outcome {
  return exists ? 'changed' : 'created';
}

type DealTimes = Pick<StoredDeal, 'sourceUpdatedAt' | 'fetchedAt' | 'deletedAt'>;

/** Whether the write is older than the deal. */
function isSuperseded(write: IncomingWrite, { sourceUpdatedAt, fetchedAt, deletedAt }: DealTimes): boolean {
  // Data that was read before the deletion is late, whatever modification time it has.
  if (isOlder(write.fetchedAt, deletedAt)) return true;
  if (isOlder(write.sourceUpdatedAt, sourceUpdatedAt)) return true;
  // CRM timestamps have whole seconds: of two states with one timestamp, the one that was read first is older.
  return isSame(write.sourceUpdatedAt, sourceUpdatedAt) && isOlder(write.fetchedAt, fetchedAt);
}

/**
 * Whether a CRM reports the content with which the deal was deleted here, and no modification time, which that of the read
 * replaces. A deal that a CRM has deleted has the hash of no content.
 */
function isOfDeletedContent({ content, sourceUpdatedAt, fetchedAt }: IncomingWrite, stored: StoredState): boolean {
  const isWithoutTime = fetchedAt !== null && isSame(sourceUpdatedAt, fetchedAt);
  return stored.deletedAt !== null && isWithoutTime && content.hash === stored.contentHash;
}

function at(write: AcceptedWrite, sourceUpdatedAt: Date | null): AcceptedWrite {
  return write.sourceUpdatedAt === sourceUpdatedAt ? write : { ...write, sourceUpdatedAt };
}

function isSame(reported: Date | null, stored: Date | null): boolean {
  return reported?.getTime() === stored?.getTime();
}

function isOlder(reported: Date | null, stored: Date | null): boolean {
  return reported !== null && stored !== null && reported.getTime() < stored.getTime();
}

function lastWrite({ accepted, sourceUpdatedAt }: Decision): DealWrite {
  return at(accepted.at(-1) as DealWrite, sourceUpdatedAt);
}

/** A stored deal that the source reported again unchanged with a later time. */
function timestampOnlyUpdate({
  dealId,
  current,
  accepted,
  sourceUpdatedAt,
}: Decision): { dealId: string; at: Date } | null {
  if (accepted.length > 0 || sourceUpdatedAt === null) return null;
  return sourceUpdatedAt.getTime() === current?.sourceUpdatedAt?.getTime() ? null : { dealId, at: sourceUpdatedAt };
}

function listConflicts({ dealId, current, accepted }: Decision): CorrectionConflict[] {
  const stored = accepted.at(-1)?.corrections;
  return conflictsOf(dealId, (stored === undefined ? current?.corrections : stored) ?? {});
}

function toChange(
  { dealId, current, accepted, isRead }: Decision,
  changed: ChangedCredits,
  products: ReadonlySet<string>,
): DealChange | null {
  const last = accepted.at(-1);
  if (last === undefined) return null;
  const before = current === undefined || current.deleted ? null : current;
  const derived = changed.get(dealId);
  const credits = derived === undefined ? (current?.credits ?? null) : derived.after;
  const after = { repId: last.repId, closeDate: last.projection.closeDate, credits };
  return { dealId, before, after, isRead: isRead || derived !== undefined || products.has(dealId) };
}
