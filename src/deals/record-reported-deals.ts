import { type Fields, type FieldValue } from '../engine/field-value.js';
import { markAffected } from '../platform/database/cache-versions.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type AffectedReps, affectedByChanges, affectedByDeletions } from './affected-reps.js';
import { dealId as dealIdSchema, mostFields, problemOfFields, readContent } from './deal.js';
import {
  type DealDeletion,
  loadDealTerms,
  lockDeals,
  purgedDeals,
  type StoredDeal,
  softDeleteDeals,
} from './deal-store.js';
import { type IncomingDeal, recordDeals } from './record-deals.js';

/** A deal as a CRM tells it. */
export interface ReportedDeal {
  readonly id: string;
  readonly fields: Fields;
  /** Null where the CRM cannot tell: then the time at which it was asked decides. */
  readonly modifiedAt: Date | null;
  readonly deleted: boolean;
}

export interface Report {
  readonly provider: string;
  readonly deals: readonly ReportedDeal[];
  /** Before the CRM was asked, by the database's clock; null for news that the CRM sent by itself. */
  readonly fetchedAt: Date | null;
  /** Whether news that are older than what stands are kept in the deal's history. */
  readonly keepStale: boolean;
}

export const reportOutcomes = ['created', 'changed', 'unchanged', 'stale', 'deleted', 'erased', 'unusable'] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

export interface RecordedReport {
  readonly outcomes: ReadonlyMap<string, ReportOutcome>;
  /** The reps whom it concerns, by deal. */
  readonly touched: ReadonlyMap<string, AffectedReps>;
  /** Deals that nobody is paid for, and why. */
  readonly skipped: readonly { readonly dealId: string; readonly reason: string }[];
}

/**
 * Takes over what a CRM says: snapshots always, whatever the stage; deletions unless something newer is known. A
 * deal that was removed for good comes back only when the CRM has changed it since. The caller asks for the
 * calculation of the reps touched.
 */
export async function recordReportedDeals(trx: Work, workspaceId: string, report: Report): Promise<RecordedReport> {
  const outcomes = new Map<string, ReportOutcome>();
  const skipped: { dealId: string; reason: string }[] = [];
  const usable = report.deals.filter((deal) => {
    if (dealIdSchema.safeParse(deal.id).success) return true;
    outcomes.set(deal.id, 'unusable');
    skipped.push({ dealId: deal.id.slice(0, 200), reason: 'the id cannot be stored' });
    return false;
  });
  const erased = await purgedDeals(
    trx,
    workspaceId,
    usable.map((deal) => deal.id),
  );
  const standing = usable.filter((deal) => {
    const erasedAt = erased.get(deal.id);
    if (erasedAt === undefined || (deal.modifiedAt !== null && deal.modifiedAt > erasedAt)) return true;
    outcomes.set(deal.id, 'erased');
    return false;
  });
  const touched = await recordLive(trx, workspaceId, report, standing, outcomes, skipped);
  const gone = standing.filter((deal) => deal.deleted);
  const touchedToo = await recordGone(trx, workspaceId, gone, outcomes);
  return { outcomes, skipped, touched: new Map([...touched, ...touchedToo]) };
}

async function recordLive(
  trx: Work,
  workspaceId: string,
  report: Report,
  deals: readonly ReportedDeal[],
  outcomes: Map<string, ReportOutcome>,
  skipped: { dealId: string; reason: string }[],
): Promise<Map<string, AffectedReps>> {
  const live = deals.filter((deal) => !deal.deleted);
  if (live.length === 0) return new Map();
  const terms = await loadDealTerms(trx, workspaceId);
  const incoming = live.map((deal): IncomingDeal => {
    const { fields, dropped } = storable(deal.fields);
    if (dropped.length > 0)
      skipped.push({ dealId: deal.id, reason: `fields that cannot be stored were left out: ${dropped.join(', ')}` });
    return {
      dealId: deal.id,
      ...readContent({ fields, given: {} }, terms),
      sourceUpdatedAt: timeOf(deal, report.fetchedAt),
      provider: report.provider,
      ...(report.fetchedAt === null ? {} : { fetchedAt: report.fetchedAt }),
    };
  });
  const recorded = await recordDeals(trx, workspaceId, incoming, { keepStale: report.keepStale });
  for (const [index, deal] of live.entries()) outcomes.set(deal.id, recorded.outcomes[index] as ReportOutcome);
  for (const { dealId, after } of recorded.changes) {
    if (after.repId === null) skipped.push({ dealId, reason: 'the owner is nobody here' });
    else if (after.closeDate === null) skipped.push({ dealId, reason: 'there is no close date that can be read' });
  }
  return affectedByChanges(trx, workspaceId, recorded.changes);
}

async function recordGone(
  trx: Work,
  workspaceId: string,
  gone: readonly ReportedDeal[],
  outcomes: Map<string, ReportOutcome>,
): Promise<Map<string, AffectedReps>> {
  if (gone.length === 0) return new Map();
  const known = await lockDeals(
    trx,
    workspaceId,
    gone.map((deal) => deal.id),
  );
  const buried: StoredDeal[] = [];
  const deletions: DealDeletion[] = [];
  for (const { id: dealId, modifiedAt: at } of gone) {
    const stands = known.get(dealId);
    if (stands === undefined || stands.deleted) outcomes.set(dealId, 'unchanged');
    else if (at !== null && stands.sourceUpdatedAt !== null && at < stands.sourceUpdatedAt)
      outcomes.set(dealId, 'stale');
    else {
      outcomes.set(dealId, 'deleted');
      buried.push(stands);
      deletions.push({ dealId, at });
    }
  }
  markAffected(
    trx,
    buried.map((deal) => deal.repId),
  );
  const touched = await affectedByDeletions(trx, workspaceId, buried);
  await softDeleteDeals(trx, workspaceId, deletions);
  return touched;
}

const dayMs = 86_400_000;

/** A time far in the future would make everything that follows old news: it is a mistake, and not believed. */
function timeOf({ modifiedAt }: ReportedDeal, fetchedAt: Date | null): Date | null {
  if (modifiedAt === null) return fetchedAt;
  const latest = (fetchedAt?.getTime() ?? Date.now()) + dayMs;
  const isSane = modifiedAt.getTime() > 0 && modifiedAt.getTime() < latest;
  return isSane ? modifiedAt : fetchedAt;
}

/** What of the fields can be stored: one long text must not keep the deal out. */
function storable(fields: Fields): { readonly fields: Fields; readonly dropped: string[] } {
  if (problemOfFields(fields) === null) return { fields, dropped: [] };
  const kept: [string, FieldValue][] = [];
  const dropped: string[] = [];
  for (const [slug, value] of Object.entries(fields)) {
    if (kept.length < mostFields && problemOfFields({ [slug]: value }) === null) kept.push([slug, value]);
    else dropped.push(slug.slice(0, 100));
  }
  return { fields: Object.fromEntries(kept), dropped };
}
