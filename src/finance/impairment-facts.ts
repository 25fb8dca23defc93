import { type Transaction } from '../platform/database/unit-of-work.js';
import { listFacts } from './fact-store.js';
import { type ImpairmentTerms, type ImpairmentTest } from './impairment.js';

/** The tests of the deals, by deal and month. */
export async function listImpairmentTests(tx: Transaction, dealIds: readonly string[]): Promise<ImpairmentTest[]> {
  const facts = await listFacts<ImpairmentTerms>(tx, 'impairment', { dealIds });
  return facts.map(({ dealId, name: month, content }) => ({ dealId, month, ...content }));
}
