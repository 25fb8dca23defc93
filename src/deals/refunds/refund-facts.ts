import { peopleBehind } from '../../kernel/caller.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { factOf, factsOf } from '../../platform/files/facts.js';
import { changeRefunds } from './change-refunds.js';
import { type RefundKey, type RefundTerms, type StoredRefund } from './refund.js';
import { storeRefunds } from './refund-store.js';
import { listRefunds } from './refund-views.js';

/** A refund as a file states it: of an amount and of no lines. Waivers are not in the file, and stay. */
export interface RefundFact extends RefundKey, Omit<RefundTerms, 'lines'> {
  readonly lines?: RefundTerms['lines'] | null;
  readonly waivers?: readonly Omit<StoredRefund['waivers'][number], 'repName'>[];
}

export const refundFacts = factsOf<RefundFact>({
  key: ['dealId', 'refundId'],
  terms: ['day', 'cause', 'amount', 'lines', 'reason', 'waivers'],
  load: async (tx, refunds) =>
    mapInSlices(await listRefunds(tx, dealsOf(refunds)), ({ waivers, ...refund }) => ({
      ...refund,
      waivers: waivers.map(({ repName: _, ...waiver }) => waiver),
    })),
  async store(tx, changes, { caller }) {
    const dealIds = dealsOf(changes.map(factOf));
    const refunds = changes.map((change) => {
      const { dealId, refundId, day, cause, amount, lines, reason } = factOf(change);
      const terms = { day, cause, amount, reason, ...(lines ? { lines } : {}) };
      return { dealId, refundId, terms: change.after === null ? null : terms };
    });
    const apply = () => storeRefunds(tx, refunds);
    const { affected } = await changeRefunds(tx, { dealIds, apply }, peopleBehind(caller));
    const [dealId] = dealIds.length === 1 ? dealIds : [];
    return [...affected].map(([repId, days]) => ({ repId, days, dealId }));
  },
});

function dealsOf(refunds: readonly RefundKey[]): string[] {
  return [...new Set(refunds.map(({ dealId }) => dealId))];
}
