import { api } from '../../../api/client.js';
import { approvalJobsQuery, type TeamStatement } from '../../../api/team-queries.js';
import { useJobStart } from '../../../app/jobs.js';
import { showMessage } from '../../../app/messages.js';
import { approvedWords } from './approval-outcome.js';

/** Stores the versions that were confirmed as a job, and reads its progress. */
export function useApprove(period: string) {
  const { running, latest, isPending, start } = useJobStart(
    approvalJobsQuery(period),
    (statements: readonly TeamStatement[]) =>
      api.approveStatements({
        body: { period, statements: statements.map(({ repId, version }) => ({ repId, version })), async: true },
      }),
    ({ approved, rejected, signed }) =>
      showMessage(approvedWords(approved, rejected.length, signed), rejected.length === 0),
  );
  return {
    progress: running?.progress ?? null,
    latest,
    start: isPending || running !== undefined ? null : (statements: readonly TeamStatement[]) => start(statements),
  };
}
