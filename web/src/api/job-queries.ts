import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '#src/client.js';
import { type Answer, api } from './client.js';

export type Job = Answer<'listRecalculationJobs'>['jobs'][number];

/** While a job runs, its progress is read every second, then every five seconds. */
function computeInterval(startedAt: string): number {
  return Date.now() - new Date(startedAt).getTime() < 20_000 ? 1000 : 5000;
}

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: ({ signal }) => api.getRecalculationJob({ params: { jobId } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? computeInterval(data.startedAt) : false),
    retry: (_failures, error) => !(error instanceof ApiError),
  });

/** The jobs of the last six hours. Idle pages ask rarely: other people start jobs too. */
export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: ({ signal }) => api.listRecalculationJobs({}, { signal }),
  refetchInterval: ({ state: { data } }) => {
    const running = data?.jobs.find(({ status }) => status === 'running');
    return running === undefined ? 20_000 : computeInterval(running.startedAt);
  },
});
