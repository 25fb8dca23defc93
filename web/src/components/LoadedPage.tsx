import { type UseQueryResult } from '@tanstack/react-query';
import { type Crumb } from '../app/page-title.js';
import { Loaded } from './Loaded.js';
import { Page } from './Page.js';

interface LoadedPageProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'fetchStatus' | 'refetch'>;
  /** The title while the query has no data. */
  readonly title: string;
  /** The path to the page, without the page itself. */
  readonly crumbs: readonly Crumb[];
  /** Height in pixels of what is loading. */
  readonly height: number;
  /** The page, with a title from the data. */
  readonly children: (data: Data) => React.ReactNode;
}

/** A page whose title depends on a query. While it loads, and if that fails, it has a general title. */
export function LoadedPage<Data>({ query, title, crumbs, height, children }: LoadedPageProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Page title={title} crumbs={[...crumbs, { label: title }]}>
      <Loaded query={query} height={height}>
        {() => null}
      </Loaded>
    </Page>
  );
}
