import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';

/** Every plan that is not deleted, each as its active or else its latest version. */
export const allPlansQuery = queryOptions({
  queryKey: ['all-plans'],
  queryFn: ({ signal }) => api.listPlans({}, { signal }),
});

export const fieldMappingQuery = queryOptions({
  queryKey: ['field-mapping'],
  queryFn: ({ signal }) => api.getFieldMapping({}, { signal }),
});
