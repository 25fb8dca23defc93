import { type z } from 'zod';
import { contentOf, type DealContent, type DealTerms, type dealBody, mergedContent } from '../deals/deal.js';
import { findOpenDeals } from '../deals/deal-views.js';
import { type StandardField } from '../engine/field-value.js';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Work } from '../platform/database/unit-of-work.js';

type GivenDeal = z.infer<typeof dealBody> & { readonly dealId: string };

interface RepRequest {
  readonly config?: unknown;
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
export function assertOfRep({ config, deals = [] }: RepRequest, repId: string): void {
  if (config !== undefined)
    throw new Failure('forbidden', 'Only managers and admins can simulate a config. Give planId or planVersionId.');
  for (const { dealId, repId: owner, ...given } of deals) {
    const isOwn = owner === null || owner === undefined || owner === repId;
    const others = Object.entries(given).filter(
      ([name, value]) => !(name in variable) && value !== null && value !== undefined,
    );
    if (!isOwn || others.length > 0) throw notVariable(dealId);
  }
}

/** The stored content of each deal with the values of the request. All must be open deals of the caller. */
export async function variedDeals(
  trx: Work,
  caller: Caller,
  deals: readonly GivenDeal[],
  terms: DealTerms,
): Promise<DealContent[]> {
  const ids = deals.map(({ dealId }) => dealId);
  const open = await findOpenDeals(trx, caller.workspaceId, caller.repId as string, ids);
  return deals.map((deal) => {
    const stored = open.get(deal.dealId);
    if (stored === undefined) throw notVariable(deal.dealId);
    return mergedContent(stored, variationOf(deal, terms), terms);
  });
}

/** The varied values under the slugs that the workspace has mapped, where plans may read them. */
function variationOf(deal: GivenDeal, { standard }: DealTerms): DealContent {
  const present = variableNames.filter((name) => deal[name] !== null && deal[name] !== undefined);
  const slugOf = (name: keyof typeof variable) => standard[variable[name]];
  const named = present.filter((name) => slugOf(name) === undefined);
  const mapped = present.filter((name) => slugOf(name) !== undefined);
  return contentOf({
    ...Object.fromEntries(named.map((name) => [name, deal[name]])),
    fields: Object.fromEntries(mapped.map((name) => [slugOf(name), deal[name] ?? null])),
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
