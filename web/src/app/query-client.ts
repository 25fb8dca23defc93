import { MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '#src/client.js';
import { showProblem } from './messages.js';

/** Errors that another attempt does not change. */
const isFinal = (error: unknown) => error instanceof ApiError && error.statusCode < 500 && error.statusCode !== 429;

/** Data is current until the revision of the workspace changes, see live-updates.ts. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5 * 60_000,
      retry: (failures, error) => !isFinal(error) && failures < 2,
      refetchOnWindowFocus: false,
    },
    // Without a connection a write fails at once. It would otherwise be sent when the connection returns.
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onError: (error, _input, _context, { meta }) => {
      if (meta?.['isShownInForm'] !== true) showProblem(error);
    },
  }),
});

/** A preview is not kept longer than it is displayed: after a change, the same input has another effect. */
queryClient.setQueryDefaults(['dry-run'], { gcTime: 0 });
