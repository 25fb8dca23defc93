import { type Answer } from '../api/client.js';
import { type ImportOutcome, type SendOptions } from './kind.js';

/** The answer of the imports with a result for each row. */
export function outcomeOf({ unchanged, rejected, results }: Answer<'importReps'>): ImportOutcome {
  const count = (outcome: (typeof results)[number]['outcome']) =>
    results.filter((one) => one.outcome === outcome).length;
  const [created, changed] = [count('created'), count('changed')];
  return {
    counts: [
      ['New', created],
      ['Changed', changed],
      ['Unchanged', unchanged],
      ['Rejected', rejected],
    ],
    accepted: created + changed,
    rejected: results.flatMap(({ row, reason }) => (reason === undefined ? [] : [{ row, reason }])),
    warnings: [],
  };
}

export function uploadOf(csv: string) {
  return { contentType: 'text/csv', data: csv };
}

export function datedQuery({ dryRun, dateFormat }: SendOptions) {
  return { dryRun: dryRun ? 'true' : 'false', dateFormat } as const;
}
