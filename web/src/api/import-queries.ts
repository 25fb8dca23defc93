import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

/** Every plan that is not deleted, each as its active or else its latest version, with the number of its people. */
export const allPlansQuery = queryOptions({
  queryKey: ['all-plans'],
  queryFn: ({ signal }) => api.listPlans({ query: { assigned: '0' } }, { signal }),
});

export const fieldMappingQuery = queryOptions({
  queryKey: ['field-mapping'],
  queryFn: ({ signal }) => api.getFieldMapping({}, { signal }),
});

export type ImportRecord = Answer<'listImports'>['imports'][number];

/** The number of imports on a page. */
export const importsPage = 50;

/** A page of the imports, the newest first. */
export const importsQuery = (page: number) =>
  queryOptions({
    queryKey: ['imports', page],
    queryFn: ({ signal }) =>
      api.listImports({ query: { limit: String(importsPage), offset: String(page * importsPage) } }, { signal }),
    placeholderData: keepPreviousData,
  });

/** An import with the deals that were not changed since, page by page. */
export const importQuery = (importId: string) =>
  infiniteQueryOptions({
    queryKey: ['import', importId],
    queryFn: ({ pageParam, signal }) =>
      api.getImport({ params: { importId }, query: pageParam === '' ? {} : { after: pageParam } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ deals }) => (deals.length < 100 ? undefined : deals.at(-1)?.dealId),
  });

/** What taking the import back would do. */
export const takeBackQuery = (importId: string) =>
  queryOptions({
    queryKey: ['dry-run', 'take-back', importId],
    queryFn: () => api.takeBackImport({ params: { importId }, query: { dryRun: 'true', effect: 'true' } }),
    retry: false,
  });
