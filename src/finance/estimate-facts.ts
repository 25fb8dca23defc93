import { groupBy } from '../kernel/group-by.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { factOf, factsOf } from '../platform/files/facts.js';
import { loadBookMonths } from './book-months.js';
import { keyOfEstimate, type StoredEstimate } from './estimate.js';
import { assertEstimable, replaceEstimates } from './estimate-store.js';
import { loadEstimates } from './estimate-views.js';
import { type Month } from './month.js';

export interface EstimateFact extends StoredEstimate {
  readonly month: Month;
}

/** Only the books read estimates, so they decide no commission. */
export const estimateFacts = factsOf<EstimateFact>({
  key: ['month', 'repId', 'planId', 'ruleName', 'period', 'currency'],
  terms: ['method', 'pay', 'toDate'],
  load: (tx, facts) => loadEstimates(tx, [...new Set(facts.map(({ month }) => month))]),
  async store(tx, changes, { caller, clock }) {
    const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
    for (const [month, ofMonth] of groupBy(changes, (change) => factOf(change).month)) {
      assertEstimable(months, month);
      const all = new Map((await loadEstimates(tx, [month])).map((each) => [keyOfEstimate(each), each]));
      for (const change of ofMonth) {
        const key = keyOfEstimate(factOf(change));
        if (change.after === null) all.delete(key);
        else all.set(key, change.after);
      }
      const estimates = [...all.values()].map(({ month: _, ...estimate }) => estimate);
      await replaceEstimates(tx, caller, { month, estimates, at: clock.now() });
    }
    return [];
  },
});
