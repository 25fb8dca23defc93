import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { describeError } from '../../../api/describe-error.js';
import { type TeamStatement } from '../../../api/team-queries.js';
import { showMessage } from '../../../app/messages.js';
import { approveInChunks, type Progress } from './approve-in-chunks.js';
import { type Failures } from './use-generate.js';

/** Approves the versions that were confirmed, some at a time, and reports every statement that was not approved. */
export function useApprove(period: string, onFailures: (failures: Failures) => void) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (statements: readonly TeamStatement[]) =>
      approveInChunks(
        statements,
        (chunk) =>
          api.approveStatements({
            body: { period, statements: chunk.map(({ repId, version }) => ({ repId, version })) },
          }),
        (error) => describeError(error).message,
        setProgress,
      ),
    onSuccess: ({ approved, failed }) => {
      onFailures(failed);
      showMessage(approvedWords(approved, failed.size), failed.size === 0);
    },
    onSettled: () => {
      setProgress(null);
      return queryClient.invalidateQueries();
    },
  });
  return { progress, start: (statements: readonly TeamStatement[]) => mutate(statements) };
}

function approvedWords(approved: number, failed: number): string {
  const done = approved === 1 ? '1 statement approved' : `${approved} statements approved`;
  return failed === 0 ? `${done}.` : `${done}, ${failed} not. The list says why.`;
}
