import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { type GenerationJob, generationJobsQuery, isRunning, type PeopleQuery } from '../../../api/team-queries.js';
import { useJobEnd } from '../../../app/job-end.js';
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
  const watchJob = useJobEnd(data?.jobs, reportEnd);
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.generateStatements({ query: people, body: { period, withTerms: true, async: true } }),
    onSuccess: ({ job }) => {
      if (job !== undefined) watchJob(job.jobId);
    },
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

function reportEnd({ generated, errors, error }: GenerationJob): void {
  const problems = errors === 0 ? '' : `, ${formatCount(errors, 'failure')}`;
  showMessage(
    error ?? `${formatCount(generated, 'statement')} generated${problems}.`,
    error === undefined && errors === 0,
  );
}
