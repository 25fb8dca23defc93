import { onlineManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { ApiError } from '#src/client.js';
import { api, reload } from '../api/client.js';

const intervalMs = 5000;
/**
 * What a page tries out itself, and the file of payroll, which has the sums that it is compared with in its key. A change
 * elsewhere does not repeat them: trials and files cost more than reads. A rate table stays the one whose rows are edited:
 * the service rejects rows that were typed for another revision.
 */
const ownTrials: ReadonlySet<unknown> = new Set(['revision', 'dry-run', 'payroll-file', 'rate-table']);

/**
 * Reads the revision of the caller's data while the page is visible, and loads what is displayed again when it has
 * changed. See docs/decisions/0020-live-updates-by-polling.md. Returns whether the service responds.
 */
export function useLiveUpdates(): boolean {
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['revision'],
    queryFn: ({ signal }) => api.getRevision({}, { signal }),
    refetchInterval: intervalMs,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: true,
    staleTime: 0,
    retry: false,
  });
  const seen = useRef<string | null>(null);
  const revision = data?.revision ?? null;
  useEffect(() => {
    if (revision === null || revision === seen.current) return;
    const isFirst = seen.current === null;
    seen.current = revision;
    if (isFirst) return;
    reload(() => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => !ownTrials.has(queryKey[0]) }));
  }, [revision, queryClient]);
  return error === null || (error instanceof ApiError && error.statusCode < 500);
}

export function useIsOnline(): boolean {
  return useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
}
