import { type FieldValue } from '../engine/field-value.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import {
  afterReport,
  type Corrections,
  correctedBy,
  type ResolvedContent,
  type SourceReport,
  valueNames,
  withCorrections,
  withoutReplaced,
} from './corrections.js';
import { type DealContent, type DealTerms, readContent } from './deal.js';
import { type DealOwners } from './deal-owners.js';
import { loadDealTerms, lockContents, type StoredDeal } from './deal-store.js';
import { type IncomingDeal } from './incoming-deal.js';
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
    const world = { terms, owners, stored, before: before === undefined || stored.deleted ? null : before };
    applied.set(deal, withMarks(deal, overlaid[index] as IncomingDeal, world));
  }
  return deals.map((deal) => applied.get(deal) ?? deal);
}

function parse({ content: { fields, given } }: IncomingDeal): DealContent {
  return { fields: JSON.parse(fields), given: JSON.parse(given) };
}

/** The deal with the corrected values, unless the write decides on them itself. */
function overlay(deal: IncomingDeal, { corrections }: StoredDeal, terms: DealTerms): IncomingDeal {
  if (corrections === null || deal.corrections !== undefined) return deal;
  const { content, projection } = readContent(withCorrections(parse(deal), corrections, terms), terms);
  return { ...deal, content: { ...content, hash: hashWithLines(content.hash, deal.lines ?? []) }, projection };
}

interface World {
  readonly terms: DealTerms;
  readonly owners: DealOwners;
  readonly stored: StoredDeal;
  /** The stored content, if a person changes the deal and it is not deleted. */
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
    // The deal stays one of its CRM.
    const kept = { provider: stored.provider, ...(stored.fetchedAt === null ? {} : { fetchedAt: stored.fetchedAt }) };
    if (before === null) return overlaid;
    const added = correctedBy(marks, { content: before, repId: stored.repId }, resolved(sent), {
      by: decision.by,
      at: new Date().toISOString(),
      terms,
    });
    return { ...store(restated(added, resolved(sent), terms)), ...kept };
  }
  const report = toReport(sent, resolved(sent), terms);
  if (decision === 'replace') {
    const corrected = { content: withCorrections(report.content, marks, terms), repId: stored.repId };
    return store(withoutReplaced(marks, report, corrected, terms));
  }
  return store(afterReport(marks, report, resolved(overlaid), terms));
}

/** Whether the last reports still differ, after a person has changed values. */
function restated(marks: Corrections, corrected: ResolvedContent, terms: DealTerms): Corrections {
  return Object.fromEntries(
    Object.entries(marks).map(([name, mark]) => {
      if (mark.reported === null) return [name, mark];
      const { reported } = mark;
      const [again] = Object.values(
        afterReport({ [name]: { ...mark, reported: null } }, { ...reported, stated: null }, corrected, terms),
      );
      return [name, again as Corrections[string]];
    }),
  );
}

function toReport(deal: IncomingDeal, resolved: ResolvedContent, terms: DealTerms): SourceReport {
  return {
    ...resolved,
    stated: deal.stated === undefined ? null : valueNames(deal.stated, terms),
    provider: deal.provider,
    at: (deal.fetchedAt ?? new Date()).toISOString(),
  };
}

/** The conflicts of deals after they have been written. */
export function conflictsOf(dealId: string, corrections: Corrections): CorrectionConflict[] {
  return Object.entries(corrections).flatMap(([name, { value, reported }]) =>
    reported?.conflicts === true ? [{ dealId, name, kept: toPlain(value), reported: toPlain(reported.value) }] : [],
  );
}
