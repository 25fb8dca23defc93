import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isRunning } from '../api/team-queries.js';

interface Job {
  readonly jobId: string;
  readonly status: string;
}

/**
 * Reports how a job ended that this page has started or seen running, and loads what it changed. `jobs` are the latest
 * first. The result is called with the id of a job that was started.
 */
export function useJobEnd<J extends Job>(
  jobs: readonly J[] | undefined,
  report: (job: J) => void,
): (jobId: string) => void {
  const queryClient = useQueryClient();
  const seen = useRef<string | null>(null);
  const running = jobs?.find(isRunning);
  const latest = jobs?.[0];
  useEffect(() => {
    if (running !== undefined) {
      seen.current = running.jobId;
      return;
    }
    if (latest === undefined || latest.jobId !== seen.current) return;
    seen.current = null;
    report(latest);
    void queryClient.invalidateQueries();
  });
  return (jobId) => {
    seen.current = jobId;
  };
}
