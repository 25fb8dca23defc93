import { api } from '../../../api/client.js';
import { type GenerationJob, generationJobsQuery, type PeopleQuery } from '../../../api/team-queries.js';
import { useJobStart } from '../../../app/jobs.js';
import { showMessage } from '../../../app/messages.js';
import { formatCount } from '../../../shared/format/numbers.js';

/** What went wrong with the statements of people, by rep. */
export type Failures = ReadonlyMap<string, string>;

/** Generates new drafts of those people whose statements are not approved, on all pages of the list, as a job. */
export function useGenerate(period: string, people: PeopleQuery) {
  const { running, latest, isPending, start } = useJobStart(
    generationJobsQuery(period),
    () => api.generateStatements({ query: people, body: { period, withTerms: true, async: true } }),
    reportEnd,
  );
  return {
    progress: running?.progress ?? (isPending ? { done: 0, total: 0 } : null),
    failures: failuresOf(latest),
    start: () => start(undefined),
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
