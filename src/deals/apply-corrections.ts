import { type FieldValue } from '../engine/field-value.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import {
  afterReport,
  type Corrections,
  correctedBy,
  isOpen,
  type ResolvedContent,
  restated,
  type SourceReport,
  valueNames,
  withCorrections,
  withoutReplaced,
} from './corrections.js';
import { type DealContent, type DealTerms, readContent } from './deal.js';
import { type DealOwners } from './deal-owners.js';
import { lockContents, type StoredDeal } from './deal-store.js';
import { type IncomingDeal } from './incoming-deal.js';
import { loadDealTerms } from './load-deal-terms.js';
import { hashWithLines } from './reported-lines.js';

type PlainValue = string | number | boolean | string[] | null;

export function toPlain(value: FieldValue): PlainValue {
  return typeof value === 'object' && value !== null ? [...value] : value;
}

/** A value of a deal that a person corrected and that a source states otherwise. */
export interface CorrectionConflict {
  readonly dealId: string;
  readonly name: string;
  readonly kept: PlainValue;
  readonly reported: PlainValue;
}

/** A deal to record, with the corrections that the write stores; absent if they stay as they are. */
export type CorrectedDeal = IncomingDeal & { readonly stored?: Corrections | null };

/**
 * Puts the corrected values of people into the deals of sources, and marks what a person changes. Deals without
 * corrections cost nothing.
 */
export async function applyCorrections(
  tx: Transaction,
  deals: readonly IncomingDeal[],
  current: ReadonlyMap<string, StoredDeal>,
  owners: DealOwners,
  beforeRead: () => Promise<unknown>,
): Promise<readonly CorrectedDeal[]> {
  const isConcerned = ({ dealId, corrections }: IncomingDeal) => {
    const stored = current.get(dealId);
    return (
      stored !== undefined && (stored.corrections !== null || (corrections !== undefined && corrections !== 'replace'))
    );
  };
  const concerned = deals.filter(isConcerned);
  if (concerned.length === 0) return deals;
  await beforeRead();
  const terms = await loadDealTerms(tx);
  const corrects = concerned.filter(({ corrections }) => typeof corrections === 'object' && 'by' in corrections);
  const contents = await lockContents(
    tx,
    corrects.map(({ dealId }) => dealId),
  );
  const overlaid = concerned.map((deal) => overlay(deal, current.get(deal.dealId) as StoredDeal, terms));
  await owners.preload(overlaid);
  const applied = new Map<IncomingDeal, CorrectedDeal>();
  for (const [index, deal] of concerned.entries()) {
    const stored = current.get(deal.dealId) as StoredDeal;
    const before = contents.get(deal.dealId);
    const world = { terms, owners, stored, before: before ?? null };
    applied.set(deal, withMarks(deal, overlaid[index] as IncomingDeal, world));
  }
  return deals.map((deal) => applied.get(deal) ?? deal);
}

function parse({ content: { fields, given } }: IncomingDeal): DealContent {
  return { fields: JSON.parse(fields), given: JSON.parse(given) };
}

/**
 * The deal with the corrected values, unless the write decides on them itself. A part of a deal is completed with the
 * stored content before, but not if the deal is deleted: then the corrected values outside of the part return here.
 */
function overlay(deal: IncomingDeal, { corrections, deleted }: StoredDeal, terms: DealTerms): IncomingDeal {
  if (corrections === null) return deal;
  const decides = deal.corrections !== undefined;
  if (decides && (!deleted || deal.stated === undefined)) return deal;
  const stated = decides ? valueNames(deal.stated as DealContent, terms) : new Set();
  const remaining = Object.fromEntries(Object.entries(corrections).filter(([name]) => !stated.has(name)));
  const { content, projection } = readContent(withCorrections(parse(deal), remaining, terms), terms);
  return { ...deal, content: { ...content, hash: hashWithLines(content.hash, deal) }, projection };
}

interface World {
  readonly terms: DealTerms;
  readonly owners: DealOwners;
  readonly stored: StoredDeal;
  /** The stored content, also of a deleted deal, if a person changes the deal. */
  readonly before: DealContent | null;
}

function withMarks(
  sent: IncomingDeal,
  overlaid: IncomingDeal,
  { terms, owners, stored, before }: World,
): CorrectedDeal {
  const marks = stored.corrections ?? {};
  const resolved = (deal: IncomingDeal): ResolvedContent => ({
    content: parse(deal),
    repId: owners.resolve(deal.projection) ?? null,
  });
  const store = (next: Corrections): CorrectedDeal =>
    next === marks || (Object.keys(next).length === 0 && stored.corrections === null)
      ? overlaid
      : { ...overlaid, stored: Object.keys(next).length === 0 ? null : next };
  const { corrections: decision } = sent;
  if (typeof decision === 'object') {
    if ('restored' in decision) return { ...overlaid, stored: decision.restored };
    // The deal stays one of its CRM. A deleted one was read before its deletion, and that read is late now.
    const { provider, fetchedAt, deleted } = stored;
    const origin = { provider, ...(fetchedAt === null || deleted ? {} : { fetchedAt }) };
    if (before === null) return overlaid;
    const added = correctedBy(marks, { content: before, repId: stored.repId }, resolved(overlaid), {
      by: decision.by,
      at: new Date().toISOString(),
      stated: statedNames(sent, terms),
      terms,
    });
    return { ...store(restated(added, resolved(overlaid), terms)), ...origin };
  }
  const report = toReport(sent, resolved(sent), terms);
  if (decision === 'replace') {
    const corrected = { content: withCorrections(report.content, marks, terms), repId: stored.repId };
    return store(withoutReplaced(marks, report, corrected, terms));
  }
  return store(afterReport(marks, report, resolved(overlaid), terms));
}

/** The names of the values that the deal states; null if it states the whole deal. */
function statedNames({ stated }: IncomingDeal, terms: DealTerms): Set<string> | null {
  return stated === undefined ? null : valueNames(stated, terms);
}

function toReport(deal: IncomingDeal, resolved: ResolvedContent, terms: DealTerms): SourceReport {
  return {
    ...resolved,
    stated: statedNames(deal, terms),
    provider: deal.provider,
    at: (deal.fetchedAt ?? new Date()).toISOString(),
  };
}

/** The conflicts of deals that have not been dismissed, after they have been written. */
export function conflictsOf(dealId: string, corrections: Corrections): CorrectionConflict[] {
  return Object.entries(corrections).flatMap(([name, { value, reported }]) =>
    isOpen(reported) ? [{ dealId, name, kept: toPlain(value), reported: toPlain(reported.value) }] : [],
  );
}
