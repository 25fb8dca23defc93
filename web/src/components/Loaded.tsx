import { type UseQueryResult } from '@tanstack/react-query';
import { ErrorState, OfflineState, Skeleton } from './States.js';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** Height in pixels of what is loading. */
  readonly height: number;
  readonly children: (data: Data) => React.ReactNode;
}

/** A block that depends on a query: a skeleton, an error with a retry, that there is no connection, or the content. Old data stays while it refreshes. */
export function Loaded<Data>({ query, height, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (query.fetchStatus === 'paused') return <OfflineState />;
  return <Skeleton height={height} />;
}
