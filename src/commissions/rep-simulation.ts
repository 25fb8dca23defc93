import { type z } from 'zod';
import { type DealContent, type DealTerms, type dealBody, mergedContent, toContent } from '../deals/deal.js';
import { findDealContents } from '../deals/deal-views.js';
import { loadLinesOfDeals } from '../deals/refunds/refunded-lines.js';
import { type DealLine } from '../engine/deal-line.js';
import { type StandardField } from '../engine/field-value.js';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

type GivenDeal = z.infer<typeof dealBody> & { readonly dealId: string };

interface RepRequest {
  readonly config?: unknown;
  readonly tables?: unknown;
  readonly deals?: readonly GivenDeal[] | undefined;
}

const variable = { amount: 'dealAmount', stage: 'dealStage', closeDate: 'closeDate' } as const satisfies Partial<
  Record<keyof GivenDeal, StandardField>
>;
const variableNames = Object.keys(variable) as (keyof typeof variable)[];

/**
 * What a rep may simulate: a stored plan, with variations of the amount, stage and close date of deals. With a config or
 * deals of their own making a rep could measure what depends on other people.
 */
export function assertVariesOwnDeals({ config, tables, deals = [] }: RepRequest, repId: string): void {
  if (tables !== undefined) throw new Failure('forbidden', 'Only managers and admins can simulate rate tables.');
  if (config !== undefined)
    throw new Failure('forbidden', 'Only managers and admins can simulate a config. Give planId or planVersionId.');
  for (const { dealId, repId: owner, ...values } of deals) {
    const isOwn = owner === null || owner === undefined || owner === repId;
    const others = Object.entries(values).filter(
      ([name, value]) => !(name in variable) && value !== null && value !== undefined,
    );
    if (!isOwn || others.length > 0) throw notVariable(dealId);
  }
}

/** A deal of a simulation with the stored lines and the stored owner that it keeps, if there are some. */
export interface SimulatedContent {
  readonly content: DealContent;
  readonly lines: readonly DealLine[] | undefined;
  readonly ownerId: string | null;
}

/** Each deal as it is stored, with the values of the request. All must be open deals of the caller. */
export async function variedDeals(
  tx: Transaction,
  caller: Caller,
  deals: readonly GivenDeal[],
  terms: DealTerms,
): Promise<SimulatedContent[]> {
  const ids = deals.map(({ dealId }) => dealId);
  const own = { repIds: [caller.repId as string], isOpen: true };
  const open = await findDealContents(tx, own, ids);
  const lines = await loadStoredLines(tx, [...open.keys()]);
  return deals.map((deal) => {
    const stored = open.get(deal.dealId);
    if (stored === undefined) throw notVariable(deal.dealId);
    const content = mergedContent(stored, toVariation(deal, terms), terms);
    return { content, lines: lines.get(deal.dealId), ownerId: stored.ownerId };
  });
}

/**
 * The content of each deal. One with the id of a stored deal of a rep whom the caller may see keeps the stored values
 * that the request does not name, its owner and its lines, so that rules which read them decide as they will when the deal closes.
 */
export async function buildHypotheticalContents(
  tx: Transaction,
  caller: Caller,
  deals: readonly GivenDeal[],
  terms: DealTerms,
): Promise<SimulatedContent[]> {
  const ids = deals.map(({ dealId }) => dealId);
  const known = await findDealContents(tx, { repIds: visibleReps(caller) }, ids);
  const lines = await loadStoredLines(tx, [...known.keys()]);
  return deals.map((deal) => {
    const stored = known.get(deal.dealId);
    const { dealId: _, ...values } = deal;
    const content = stored === undefined ? toContent(values) : mergedContent(stored, toVariation(deal, terms), terms);
    return { content, lines: lines.get(deal.dealId), ownerId: stored?.ownerId ?? null };
  });
}

/** The lines of the deals that have some. */
async function loadStoredLines(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, readonly DealLine[]>> {
  const deals = await loadLinesOfDeals(tx, dealIds);
  return new Map([...deals].flatMap(([dealId, { lines }]) => (lines.length === 0 ? [] : [[dealId, lines] as const])));
}

/** The given values; amount, stage and close date under the slugs that the workspace has mapped, where plans may read them. */
function toVariation({ dealId: _, ...deal }: GivenDeal, { standard }: DealTerms): DealContent {
  const mapped = variableNames.flatMap((name) => {
    const slug = standard[variable[name]];
    return slug === undefined || deal[name] === null || deal[name] === undefined ? [] : [{ name, slug }];
  });
  const named = Object.entries(deal).filter(([name]) => !mapped.some((field) => field.name === name));
  return toContent({
    ...Object.fromEntries(named),
    fields: { ...Object.fromEntries(mapped.map(({ name, slug }) => [slug, deal[name] ?? null])), ...deal.fields },
  });
}

/** The same error for deals that do not exist, that are closed, and that belong to another rep. */
function notVariable(dealId: string): Failure {
  return new Failure(
    'forbidden',
    'A rep can vary only the amount, the stage and the close date of their own open deals.',
    { dealId },
  );
}
