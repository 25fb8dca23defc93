import { type UseQueryResult } from '@tanstack/react-query';
import { combinedState } from '../api/combined-state.js';
import { describeError } from '../api/describe-error.js';
import { LinkButton } from './Button.js';
import { ErrorState, OfflineState, Skeleton } from './States.js';

/** What is displayed of a query. */
export type Loading<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'fetchStatus'> & {
  readonly refetch: () => unknown;
};

/** Queries as one, which has data once all of them have. */
export function combineQueries<Data extends Readonly<Record<string, unknown>>>(
  queries: {
    readonly [Key in keyof Data]: Loading<Data[Key]>;
  },
): Loading<Data> {
  const all = Object.values(queries) as Loading<unknown>[];
  return {
    ...combinedState(all),
    data: all.every(({ data }) => data !== undefined)
      ? (Object.fromEntries(Object.entries(queries).map(([key, { data }]) => [key, data])) as Data)
      : undefined,
  };
}

/** Why a part of a page has no data. */
export class LoadFailure {
  constructor(
    /** null while the part loads again. */
    readonly error: unknown,
    readonly retry: () => unknown,
  ) {}
}

/** The query of a part of a page: if it fails, the failure is its data, and the rest of the page is still shown. */
export function orFailure<Data>(
  query: Loading<Data> & Pick<UseQueryResult<Data>, 'errorUpdateCount'>,
): Loading<Data | LoadFailure> {
  const { data, error, errorUpdateCount, refetch } = query;
  if (data !== undefined || errorUpdateCount === 0) return query;
  return { ...query, data: new LoadFailure(error, refetch), error: null };
}

interface LoadedProps<Data> {
  readonly query: Loading<Data>;
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

/** Replaces a part of a page that did not load. `what` is a plural, such as "Your open deals". */
export function FailedPart({
  what,
  failure: { error, retry },
}: {
  readonly what: string;
  readonly failure: LoadFailure;
}) {
  if (error === null) return <span role="status">{what} are loading.</span>;
  return (
    <span role="alert">
      {what} did not load. {describeError(error).message} <LinkButton onClick={() => retry()}>Try again</LinkButton>
    </span>
  );
}
