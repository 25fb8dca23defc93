import { type UseQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { exceptPreviews } from '../api/change.js';
import { isRunning } from '../api/team-queries.js';
import { showProblem } from './messages.js';

interface Job {
  readonly jobId: string;
  readonly status: string;
}

interface Started {
  /** Absent if the request was done at once. */
  readonly job?: Pick<Job, 'jobId'> | undefined;
}

type Jobs<J extends Job> = { jobs: J[]; count: number };
type JobsQuery<J extends Job> = UseQueryOptions<Jobs<J>, Error, Jobs<J>, string[]>;

/**
 * Reads the jobs of the query, the latest first, reports how a job ended that this page has started or seen running, and
 * loads what it changed. A job continues when the page is closed, and the page finds it again.
 */
export function useJobs<J extends Job>(query: JobsQuery<J>, report: (job: J) => void) {
  const queryClient = useQueryClient();
  const seen = useRef<string | null>(null);
  const jobs = useQuery(query).data?.jobs;
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
    void queryClient.invalidateQueries(exceptPreviews);
  });
  const watch = ({ job }: Started) => {
    if (job !== undefined) seen.current = job.jobId;
  };
  return { running, latest, watch };
}

/** Starts jobs of the query, too. */
export function useJobStart<J extends Job, Input>(
  query: JobsQuery<J>,
  send: (input: Input) => Promise<Started>,
  report: (job: J) => void,
) {
  const queryClient = useQueryClient();
  const { watch, ...jobs } = useJobs(query, report);
  const { mutate, isPending } = useMutation({
    mutationFn: send,
    onSuccess: watch,
    onError: showProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: query.queryKey }),
  });
  return { ...jobs, isPending, start: mutate };
}
