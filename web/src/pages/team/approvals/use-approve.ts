import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.js';
import { type ApprovalJob, approvalJobsQuery, isRunning, type TeamStatement } from '../../../api/team-queries.js';
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
  useReportedEnd(running, latest);
  const { mutate, isPending } = useMutation({
    mutationFn: (statements: readonly TeamStatement[]) =>
      api.approveStatements({
        body: { period, statements: statements.map(({ repId, version }) => ({ repId, version })), async: true },
      }),
    onError: showProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: approvalJobsQuery(period).queryKey }),
  });
  return {
    progress: running?.progress ?? null,
    latest,
    start: isPending || running !== undefined ? null : (statements: readonly TeamStatement[]) => mutate(statements),
  };
}

/** Says how a job ended that this page has seen running, and loads what it changed. */
function useReportedEnd(running: ApprovalJob | undefined, latest: ApprovalJob | undefined): void {
  const queryClient = useQueryClient();
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (running !== undefined) {
      seen.current = running.jobId;
      return;
    }
    if (latest === undefined || latest.jobId !== seen.current) return;
    seen.current = null;
    showMessage(approvedWords(latest.approved, latest.rejected.length, latest.signed), latest.rejected.length === 0);
    void queryClient.invalidateQueries();
  }, [running, latest, queryClient]);
}
