import { type UseQueryResult } from '@tanstack/react-query';

type QueryState = Pick<UseQueryResult, 'error' | 'fetchStatus'> & { readonly refetch: () => unknown };

/** The state of several queries as that of one, without their data. A retry loads those again that have failed. */
export function combinedState(queries: readonly QueryState[]): QueryState {
  const failed = queries.filter(({ error }) => error !== null);
  return {
    error: failed[0]?.error ?? null,
    fetchStatus: queries.some(({ fetchStatus }) => fetchStatus === 'paused') ? 'paused' : 'idle',
    refetch: () => failed.map(({ refetch }) => refetch()),
  };
}
