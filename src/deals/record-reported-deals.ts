import { recordAuditEntry } from '../audit/audit-entry.js';
import { type DealLine } from '../engine/deal-line.js';
import { maxLines } from '../engine/deal-line-input.js';
import { type Fields, type FieldValue } from '../engine/field-value.js';
import { groupBy } from '../kernel/group-by.js';
import { mapInParallel } from '../kernel/waiting.js';
import { isStorable } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AffectedReps, affectedByChanges, affectedByDeletions } from './affected-reps.js';
import {
  checkFields,
  dealId as dealIdSchema,
  fieldLength,
  latestSourceTime,
  maxFields,
  maxFieldsLength,
  readContent,
} from './deal.js';
import { repsIn } from './deal-credits.js';
import {
  clearHashes,
  type DealDeletion,
  lockDeals,
  purgedDeals,
  type StoredDeal,
  softDeleteDeals,
} from './deal-store.js';
import { type IncomingDeal } from './incoming-deal.js';
import { loadDealTerms } from './load-deal-terms.js';
import { recordDeals } from './record-deals.js';
import { hashWithLines, type ReportedLine, readReportedLines } from './reported-lines.js';

/** A deal as a CRM reports it. */
export interface ReportedDeal {
  readonly id: string;
  readonly fields: Fields;
  /** Null if the CRM does not report it; then the time of the read decides. */
  readonly modifiedAt: Date | null;
  readonly deleted: boolean;
  /** All credit lines of the CRM; absent if it was not read for them. */
  readonly lines?: readonly ReportedLine[];
  /** All products of the deal in the CRM; absent if it was not read for them. */
  readonly products?: readonly DealLine[];
}

interface Report {
  readonly provider: string;
  readonly deals: readonly ReportedDeal[];
  /** Time before the read from the CRM, by the database's clock; null for data that the CRM pushed. */
  readonly fetchedAt: Date | null;
  /** Whether data older than the stored deal is added to the deal's history. */
  readonly keepStale: boolean;
}

const reportOutcomes = ['created', 'changed', 'unchanged', 'stale', 'deleted', 'erased', 'unusable'] as const;
type ReportOutcome = (typeof reportOutcomes)[number];

export interface RecordedReport {
  readonly outcomes: ReadonlyMap<string, ReportOutcome>;
  readonly affected: ReadonlyMap<string, AffectedReps>;
  /** Deals that pay no rep, with the reason. */
  readonly skipped: readonly { readonly dealId: string; readonly reason: string }[];
}

/**
 * Stores the deals that a CRM reports, whatever their stage, and deletions unless something newer is stored. A deal that
 * was deleted here returns only when the CRM has changed it since; of a purged one, only the time of the change shows that.
 * The caller requests the calculation of the affected reps.
 */
export async function recordReportedDeals(tx: Transaction, report: Report): Promise<RecordedReport> {
  const outcomes = new Map<string, ReportOutcome>();
  const skipped: { dealId: string; reason: string }[] = [];
  const usable = report.deals.filter((deal) => {
    if (dealIdSchema.safeParse(deal.id).success) return true;
    outcomes.set(deal.id, 'unusable');
    skipped.push({ dealId: deal.id.slice(0, 200), reason: 'the id cannot be stored' });
    return false;
  });
  const purged = await purgedDeals(
    tx,
    usable.map((deal) => deal.id),
  );
  const notPurged = usable.filter((deal) => {
    const purgedAt = purged.get(deal.id);
    if (purgedAt === undefined || (deal.modifiedAt !== null && deal.modifiedAt > purgedAt)) return true;
    outcomes.set(deal.id, 'erased');
    return false;
  });
  const affected = await recordLive(tx, report, notPurged, outcomes, skipped);
  const deletions = notPurged.filter((deal) => deal.deleted);
  const affectedByDeletion = await recordDeletions(tx, report, deletions, outcomes);
  return { outcomes, skipped, affected: new Map([...affected, ...affectedByDeletion]) };
}

/** The deals whose content differs from what was stored. */
export function changedDeals({ outcomes }: Pick<RecordedReport, 'outcomes'>): string[] {
  return [...outcomes]
    .filter(([, outcome]) => outcome === 'created' || outcome === 'changed')
    .map(([dealId]) => dealId);
}

async function recordLive(
  tx: Transaction,
  report: Report,
  deals: readonly ReportedDeal[],
  outcomes: Map<string, ReportOutcome>,
  skipped: { dealId: string; reason: string }[],
): Promise<Map<string, AffectedReps>> {
  const present = deals.filter((deal) => !deal.deleted);
  if (present.length === 0) return new Map();
  const terms = await loadDealTerms(tx);
  const incoming = present.map((deal): IncomingDeal => {
    const { fields, dropped } = storable(deal.fields);
    if (dropped.length > 0)
      skipped.push({ dealId: deal.id, reason: `fields that cannot be stored were left out: ${dropped.join(', ')}` });
    const { lines, problems } = readReportedLines(deal.lines ?? []);
    skipped.push(...problems.map((reason) => ({ dealId: deal.id, reason })));
    const { products, problem } = readProducts(deal);
    if (problem !== null) skipped.push({ dealId: deal.id, reason: problem });
    const { content, projection } = readContent({ fields, given: {} }, terms);
    return {
      dealId: deal.id,
      content: { ...content, hash: hashWithLines(content.hash, { lines, products }) },
      projection,
      ...(deal.lines === undefined ? {} : { lines }),
      ...(deal.products === undefined ? {} : { products }),
      sourceUpdatedAt: resolveTime(deal, report.fetchedAt),
      provider: report.provider,
      ...(report.fetchedAt === null ? {} : { fetchedAt: report.fetchedAt }),
    };
  });
  const recorded = await recordDeals(tx, incoming, { keepStale: report.keepStale });
  for (const [index, deal] of present.entries()) outcomes.set(deal.id, recorded.outcomes[index] as ReportOutcome);
  for (const { dealId, after } of recorded.changes) {
    if (after.repId === null && after.credits === null)
      skipped.push({ dealId, reason: 'the owner is not a rep of this workspace' });
    else if (after.closeDate === null) skipped.push({ dealId, reason: 'the close date is missing or not readable' });
    else if (after.credits?.lines.some(({ source, repId }) => source === 'crm' && repId === null) === true)
      skipped.push({ dealId, reason: 'a split belongs to someone who is not a rep of this workspace' });
  }
  return affectedByChanges(tx, recorded.changes);
}

function readProducts({ products = [] }: ReportedDeal): { products: readonly DealLine[]; problem: string | null } {
  if (products.length <= maxLines) return { products: products.map(storableLine), problem: null };
  return { products: [], problem: `more than ${maxLines} line items were left out` };
}

/** The line without values that cannot be stored: one character must not exclude the deal. */
function storableLine({ fields, ...line }: DealLine): DealLine {
  const canBeStored = ([, value]: [string, unknown]) =>
    [value].flat().every((part) => typeof part !== 'string' || isStorable(part));
  const own = fields === undefined ? {} : { fields: Object.fromEntries(Object.entries(fields).filter(canBeStored)) };
  return { ...(Object.fromEntries(Object.entries(line).filter(canBeStored)) as typeof line), ...own };
}

async function recordDeletions(
  tx: Transaction,
  { fetchedAt }: Report,
  reported: readonly ReportedDeal[],
  outcomes: Map<string, ReportOutcome>,
): Promise<Map<string, AffectedReps>> {
  if (reported.length === 0) return new Map();
  const stored = await lockDeals(
    tx,
    reported.map((deal) => deal.id),
  );
  const toDelete: StoredDeal[] = [];
  const deletions: DealDeletion[] = [];
  const deletedBefore: string[] = [];
  for (const { id: dealId, ...deal } of reported) {
    const at = deal.modifiedAt === null ? null : resolveTime(deal, fetchedAt);
    const current = stored.get(dealId);
    if (current === undefined) outcomes.set(dealId, 'unchanged');
    else if (current.deleted) {
      outcomes.set(dealId, 'unchanged');
      deletedBefore.push(dealId);
    } else if (at !== null && current.sourceUpdatedAt !== null && at < current.sourceUpdatedAt)
      outcomes.set(dealId, 'stale');
    else {
      outcomes.set(dealId, 'deleted');
      toDelete.push(current);
      deletions.push({ dealId, at, isOfCrm: true });
    }
  }
  tx.markAffected(toDelete.flatMap(({ repId, credits }) => [repId, ...repsIn(credits)]));
  const affected = await affectedByDeletions(tx, toDelete);
  await softDeleteDeals(tx, deletions);
  await clearHashes(tx, deletedBefore);
  return affected;
}

/** A time that cannot be right is replaced by the time of the read. */
function resolveTime({ modifiedAt }: Pick<ReportedDeal, 'modifiedAt'>, fetchedAt: Date | null): Date | null {
  if (modifiedAt === null) return fetchedAt;
  const isSane = modifiedAt.getTime() > 0 && modifiedAt < latestSourceTime(fetchedAt?.getTime() ?? Date.now());
  return isSane ? modifiedAt : fetchedAt;
}

/** The fields that can be stored, in their order: one long text must not exclude the deal. */
function storable(fields: Fields): { readonly fields: Fields; readonly dropped: string[] } {
  if (checkFields(fields) === null) return { fields, dropped: [] };
  const stored: [string, FieldValue][] = [];
  const dropped: string[] = [];
  let length = 0;
  for (const [slug, value] of Object.entries(fields)) {
    const next = length + fieldLength(slug, value);
    if (stored.length < maxFields && next <= maxFieldsLength && checkFields({ [slug]: value }) === null) {
      stored.push([slug, value]);
      length = next;
    } else dropped.push(slug.slice(0, 100));
  }
  return { fields: Object.fromEntries(stored), dropped };
}

/** Writes an audit entry with the reason for every deal that pays no rep. */
export async function auditSkippedDeals(
  tx: Transaction,
  { trigger, provider }: { readonly trigger: string; readonly provider: string },
  { skipped }: Pick<RecordedReport, 'skipped'>,
): Promise<void> {
  const orchestrator = { actor: 'orchestrator' };
  await mapInParallel(
    groupBy(skipped, (skippedDeal) => skippedDeal.dealId),
    ([dealId, reasons]) => {
      const details = { provider, reasons: reasons.map((skippedDeal) => skippedDeal.reason) };
      return recordAuditEntry(tx, orchestrator, { trigger, scope: 'deal', dealId, outcome: 'skipped', details });
    },
  );
}
