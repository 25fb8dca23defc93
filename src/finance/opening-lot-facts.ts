import { nextPeriod } from '../kernel/period.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { factOf, factsOf } from '../platform/files/facts.js';
import { assertOpenMonth, loadBookMonths } from './book-months.js';
import { insertFacts, listFacts } from './fact-store.js';
import { type Month, monthOf } from './month.js';
import { type OpeningLot } from './opening-lot.js';

type Content = Omit<OpeningLot, 'dealId' | 'lotId'>;

/** The lots of the deals, or of the reps. */
export async function listOpeningLots(
  tx: Transaction,
  of: { readonly dealIds: readonly string[] } | { readonly repIds: readonly string[] },
): Promise<OpeningLot[]> {
  const facts = await listFacts<Content>(tx, 'opening_lot', of);
  return facts.map(({ dealId, name: lotId, content }) => ({ dealId, lotId, ...content }));
}

/** The month in which the lot is in the books for the first time. */
export function entersIn({ amortisedTo }: Pick<OpeningLot, 'amortisedTo'>): Month {
  return nextPeriod(monthOf(amortisedTo));
}

/** Lots that other systems have begun enter and leave in months that are open. */
export const openingLotFacts = factsOf<OpeningLot>({
  key: ['dealId', 'lotId'],
  terms: ['entity', 'repId', 'cost', 'amortised', 'amortisedTo', 'start', 'length', 'convention'],
  load: (tx, lots) => listOpeningLots(tx, { dealIds: [...new Set(lots.map(({ dealId }) => dealId))] }),
  async store(tx, changes, { clock }) {
    const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
    for (const { before, after } of changes)
      for (const lot of [before, after])
        if (lot !== null)
          assertOpenMonth(months, entersIn(lot), `${entersIn(lot)} is closed. A lot enters in a month that is open.`);
    await insertFacts(
      tx,
      'opening_lot',
      changes.map((change) => {
        const { dealId, lotId, ...content } = factOf(change);
        return { dealId, name: lotId, content: change.after === null ? null : content };
      }),
    );
    return [];
  },
});
