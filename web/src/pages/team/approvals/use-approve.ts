import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { approvalJobsQuery, isRunning, type TeamStatement } from '../../../api/team-queries.js';
import { useJobEnd } from '../../../app/job-end.js';
import { showMessage, showProblem } from '../../../app/messages.js';
import { approvedWords } from './approval-outcome.js';

/**
 * Stores the versions that were confirmed as a job, and reads its progress. The job continues when the page is closed,
 * and the page finds it again.
 */
export function useApprove(period: string) {
  const queryClient = useQueryClient();
  const { data } = useQuery(approvalJobsQuery(period));
  const running = data?.jobs.find(isRunning);
  const latest = data?.jobs[0];
  const watchJob = useJobEnd(data?.jobs, ({ approved, rejected, signed }) =>
    showMessage(approvedWords(approved, rejected.length, signed), rejected.length === 0),
  );
  const { mutate, isPending } = useMutation({
    mutationFn: (statements: readonly TeamStatement[]) =>
      api.approveStatements({
        body: { period, statements: statements.map(({ repId, version }) => ({ repId, version })), async: true },
      }),
    onSuccess: ({ job }) => {
      if (job !== undefined) watchJob(job.jobId);
    },
    onError: showProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: approvalJobsQuery(period).queryKey }),
  });
  return {
    progress: running?.progress ?? null,
    latest,
    start: isPending || running !== undefined ? null : (statements: readonly TeamStatement[]) => mutate(statements),
  };
}
