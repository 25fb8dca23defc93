import { groupBy } from '../kernel/group-by.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AffectedReps, affectedReps } from './affected-reps.js';
import { type Corrections, withPart } from './corrections.js';
import { type DealContent, type DealTerms, readContent } from './deal.js';
import { lockContents, lockDeals } from './deal-store.js';
import { type IncomingDeal } from './incoming-deal.js';
import { loadDealTerms } from './load-deal-terms.js';
import { recordDeals } from './record-deals.js';

export interface NamedCorrection {
  readonly dealId: string;
  readonly name: string;
}

interface Ended {
  readonly ended: number;
  /** Number of deals that got a value of the source. */
  readonly accepted: number;
  readonly affected: AffectedReps;
}

/** Ends corrections: each value becomes the one that a source reported last, if one did. */
export async function endCorrections(tx: Transaction, named: readonly NamedCorrection[]): Promise<Ended> {
  const byDeal = groupBy(named, ({ dealId }) => dealId);
  const dealIds = [...byDeal.keys()].sort();
  const stored = await lockDeals(tx, dealIds);
  const contents = await lockContents(tx, dealIds);
  const terms = await loadDealTerms(tx);
  let ended = 0;
  const deals = dealIds.flatMap((dealId): IncomingDeal[] => {
    const deal = stored.get(dealId);
    const content = contents.get(dealId);
    if (deal === undefined || content === undefined || deal.deleted) return [];
    const names = (byDeal.get(dealId) ?? []).map(({ name }) => name);
    const end = withoutCorrections(deal.corrections ?? {}, content, names, terms);
    if (end.ended === 0) return [];
    ended += end.ended;
    const restored = Object.keys(end.remaining).length === 0 ? null : end.remaining;
    const { provider, fetchedAt } = deal;
    const times = { sourceUpdatedAt: null, ...(fetchedAt === null ? {} : { fetchedAt }) };
    return [{ dealId, ...readContent(end.content, terms), provider, ...times, corrections: { restored } }];
  });
  const { changes, outcomes } = await recordDeals(tx, deals);
  const accepted = outcomes.filter((outcome) => outcome === 'changed').length;
  return { ended, accepted, affected: await affectedReps(tx, changes) };
}

function withoutCorrections(
  corrections: Corrections,
  stored: DealContent,
  names: readonly string[],
  terms: DealTerms,
): { readonly content: DealContent; readonly remaining: Corrections; readonly ended: number } {
  const ends = new Set(names.filter((name) => Object.hasOwn(corrections, name)));
  const content = [...ends].reduce((read, name) => {
    const reported = corrections[name]?.reported ?? null;
    return reported === null ? read : withPart(read, name, reported.content, terms);
  }, stored);
  const remaining = Object.fromEntries(Object.entries(corrections).filter(([name]) => !ends.has(name)));
  return { content, remaining, ended: ends.size };
}
