import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.js';
import {
  type GenerationJob,
  generationJobsQuery,
  isPaidElsewhere,
  isRunning,
  type TeamStatement,
} from '../../../api/team-queries.js';
import { showMessage, showProblem } from '../../../app/messages.js';
import { formatCount } from '../../../shared/format/numbers.js';

/** What went wrong with the statements of people, by rep. */
export type Failures = ReadonlyMap<string, string>;

/**
 * Generates new drafts of those of the statements that are not approved, or of everyone in the list, as a job. It continues when the page is
 * closed, and the page finds it again.
 */
export function useGenerate(period: string) {
  const queryClient = useQueryClient();
  const { data } = useQuery(generationJobsQuery(period));
  const running = data?.jobs.find(isRunning);
  const latest = data?.jobs[0];
  useReportedEnd(running, latest);
  const { mutate, isPending } = useMutation({
    mutationFn: (statements: readonly TeamStatement[] | null) => {
      const people = statements === null ? { withTerms: true } : { repIds: toGenerate(statements) };
      return api.generateStatements({ body: { period, ...people, async: true } });
    },
    onError: showProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: generationJobsQuery(period).queryKey }),
  });
  return {
    progress: running?.progress ?? (isPending ? { done: 0, total: 0 } : null),
    failures: failuresOf(latest),
    /** Null for everyone in the list. */
    start: (statements: readonly TeamStatement[] | null) => mutate(statements),
  };
}

function toGenerate(statements: readonly TeamStatement[]): string[] {
  return statements
    .filter((statement) => statement.status !== 'approved' && !isPaidElsewhere(statement))
    .map(({ repId }) => repId);
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
