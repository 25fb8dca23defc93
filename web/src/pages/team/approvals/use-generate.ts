import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { isPaidElsewhere, type TeamStatement } from '../../../api/team-queries.js';
import { showMessage } from '../../../app/messages.js';
import { formatCount } from '../../../shared/format/numbers.js';

/** What went wrong with the statements of people, by rep. */
export type Failures = ReadonlyMap<string, string>;

interface Progress {
  readonly done: number;
  readonly total: number;
}

/** People of one request, so that the progress moves. */
const chunkSize = 50;

/** Generates new drafts of those of the statements that are not approved. */
export function useGenerate(period: string, onFailures: (failures: Failures) => void) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: async (statements: readonly TeamStatement[]) => {
      const repIds = statements
        .filter((statement) => statement.status !== 'approved' && !isPaidElsewhere(statement))
        .map(({ repId }) => repId);
      const failed = new Map<string, string>();
      let generated = 0;
      for (let from = 0; from < repIds.length; from += chunkSize) {
        setProgress({ done: from, total: repIds.length });
        const chunk = repIds.slice(from, from + chunkSize);
        const answer = await api.generateStatements({ body: { period, repIds: chunk } });
        generated += answer.generated;
        for (const { repId, error } of answer.errorReps) failed.set(repId, `No statement was generated: ${error}.`);
      }
      return { generated, failed };
    },
    onSuccess: ({ generated, failed }) => {
      onFailures(failed);
      const problems = failed.size === 0 ? '' : `, ${formatCount(failed.size, 'failure')}`;
      showMessage(`${formatCount(generated, 'statement')} generated${problems}.`);
    },
    onSettled: () => {
      setProgress(null);
      return queryClient.invalidateQueries();
    },
  });
  return { progress, start: (statements: readonly TeamStatement[]) => mutate(statements) };
}
