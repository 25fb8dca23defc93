import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type ScheduledImport = Answer<'listScheduledImports'>['scheduledImports'][number];
export type ScheduledFile = Answer<'listScheduledImportFiles'>['files'][number];

/** Workers change the state of scheduled imports, which no revision shows. */
export const scheduledImportsQuery = queryOptions({
  queryKey: ['scheduled-imports'],
  queryFn: ({ signal }) => api.listScheduledImports({}, { signal }),
  refetchInterval: ({ state: { data } }) => (data?.scheduledImports.some(({ isRunning }) => isRunning) ? 1500 : 15_000),
});

/** The latest files. A run that has ended changes them. */
export const scheduledFilesQuery = ({ id, lastRunAt, isRunning }: ScheduledImport) =>
  queryOptions({
    queryKey: ['scheduled-imports', id, lastRunAt, isRunning],
    queryFn: ({ signal }) =>
      api.listScheduledImportFiles({ params: { scheduledImportId: id }, query: { limit: '50' } }, { signal }),
    placeholderData: (before) => before,
  });
