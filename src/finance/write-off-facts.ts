import { workspaceToday } from '../people/reps/rep-views.js';
import { factsOf } from '../platform/files/facts.js';
import { loadBookMonths } from './book-months.js';
import { assertProposed } from './proposal.js';
import { type StoredWriteOff, type WriteOffTerms } from './write-off.js';
import { assertMayWriteOff, decideWriteOff, storeProposal } from './write-off-store.js';
import { listWriteOffs } from './write-off-views.js';

/** A write-off as a file states it, or as it is stored. */
export type WriteOffFact = WriteOffTerms & Partial<StoredWriteOff>;

/** The status is no term, so that a row that states what is already approved changes nothing. */
export const writeOffFacts = factsOf<WriteOffFact>({
  key: ['repId', 'entity', 'currency', 'day'],
  terms: ['amount', 'reason'],
  /** Where several have one key, the last one counts, so that an approved write-off is not proposed again. */
  async load(tx) {
    const all = await listWriteOffs(tx, null);
    return (['proposed', 'approved'] as const).flatMap((status) => all.filter((each) => each.status === status));
  },
  async store(tx, changes, { caller, clock }) {
    const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
    const at = clock.now();
    for (const { before, after } of changes) {
      if (before !== null) {
        const found = before as StoredWriteOff;
        assertProposed(found);
        await decideWriteOff(tx, caller, found, { status: 'withdrawn', at });
      }
      if (after === null) continue;
      assertMayWriteOff(caller, months, after);
      const { repId, entity, currency, amount, day, reason } = after;
      await storeProposal(tx, caller, { repId, entity, currency, amount, day, reason }, at);
    }
    return [];
  },
});
