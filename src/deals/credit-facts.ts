import { factsOf } from '../platform/files/facts.js';
import { changeCredits } from './change-credits.js';
import { listEnteredLines } from './deal-credit-views.js';
import { type EnteredLine } from './deal-credits.js';

/** The credit lines that are given for a deal; none where it has those of the CRM, of credit rules or its owner. */
export interface CreditsFact {
  readonly dealId: string;
  readonly lines: readonly EnteredLine[];
}

export const creditFacts = factsOf<CreditsFact>({
  key: ['dealId'],
  terms: ['lines'],
  async load(tx, credits) {
    const dealIds = credits.map(({ dealId }) => dealId);
    return [...(await listEnteredLines(tx, dealIds))].map(([dealId, lines]) => ({ dealId, lines }));
  },
  async store(tx, changes, { caller }) {
    const lines = changes.flatMap(({ after }) => (after === null ? [] : [[after.dealId, after.lines] as const]));
    const { affected } = await changeCredits(tx, caller, new Map(lines));
    return [...affected].flatMap(([dealId, reps]) => [...reps].map(([repId, days]) => ({ repId, days, dealId })));
  },
});
