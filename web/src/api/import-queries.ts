import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ImportContext } from '../imports/kind.js';
import { api } from './client.js';
import { peopleQuery } from './payroll-queries.js';

/** Every plan that is not deleted, each as its active or else its latest version. */
export const allPlansQuery = queryOptions({
  queryKey: ['all-plans'],
  queryFn: ({ signal }) => api.listPlans({}, { signal }),
});

export const fieldMappingQuery = queryOptions({
  queryKey: ['field-mapping'],
  queryFn: ({ signal }) => api.getFieldMapping({}, { signal }),
});

/** What the columns of a file may refer to; null while it is loading. */
export function useImportContext(): { readonly context: ImportContext | null; readonly error: unknown } {
  const people = useQuery(peopleQuery);
  const plans = useQuery(allPlansQuery);
  const mapping = useQuery(fieldMappingQuery);
  const error = people.error ?? plans.error ?? mapping.error;
  if (people.data === undefined || plans.data === undefined || mapping.data === undefined)
    return { context: null, error };
  return { context: { people: people.data.reps, plans: plans.data, standard: mapping.data.standard }, error };
}
