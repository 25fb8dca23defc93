import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.js';
import { type GenerationJob, generationJobsQuery, isRunning, type PeopleQuery } from '../../../api/team-queries.js';
import { showMessage, showProblem } from '../../../app/messages.js';
import { formatCount } from '../../../shared/format/numbers.js';

/** What went wrong with the statements of people, by rep. */
export type Failures = ReadonlyMap<string, string>;

/**
 * Generates new drafts of those people whose statements are not approved, on all pages of the list, as a job. It continues when the page is
 * closed, and the page finds it again.
 */
export function useGenerate(period: string, people: PeopleQuery) {
  const queryClient = useQueryClient();
  const { data } = useQuery(generationJobsQuery(period));
  const running = data?.jobs.find(isRunning);
  const latest = data?.jobs[0];
  useReportedEnd(running, latest);
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.generateStatements({ query: people, body: { period, withTerms: true, async: true } }),
    onError: showProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: generationJobsQuery(period).queryKey }),
  });
  return {
    progress: running?.progress ?? (isPending ? { done: 0, total: 0 } : null),
    failures: failuresOf(latest),
    start: () => mutate(),
  };
}

function failuresOf(job: GenerationJob | undefined): Failures {
  return new Map(job?.errorReps.map(({ repId, error }) => [repId, `No statement was generated: ${error}.`]));
}

/** Says how a job ended that this page has seen running, and loads what it changed. */
function useReportedEnd(running: GenerationJob | undefined, latest: GenerationJob | undefined): void {
  const queryClient = useQueryClient();
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (running !== undefined) {
      seen.current = running.jobId;
      return;
    }
    if (latest === undefined || latest.jobId !== seen.current) return;
    seen.current = null;
    const { generated, errors, error } = latest;
    const problems = errors === 0 ? '' : `, ${formatCount(errors, 'failure')}`;
    showMessage(
      error ?? `${formatCount(generated, 'statement')} generated${problems}.`,
      error === undefined && errors === 0,
    );
    void queryClient.invalidateQueries();
  }, [running, latest, queryClient]);
}
