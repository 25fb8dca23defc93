import { useEffect, useRef } from 'react';
import { combineQueries, type Loading } from './Loaded.js';

/**
 * The rows of a list and what further queries say of them. They change together: while a further query of new rows loads, the rows before
 * and what belongs to them stay, unless the page has another subject.
 */
export function useTogether<Data extends Readonly<Record<string, unknown>>>(
  queries: { readonly [Key in keyof Data]: Loading<Data[Key]> },
  subject = '',
): Loading<Data> {
  const query = combineQueries<Data>(queries);
  const last = useRef<{ readonly subject: string; readonly data: Data } | null>(null);
  useEffect(() => {
    if (query.data !== undefined) last.current = { subject, data: query.data };
  });
  const before = last.current?.subject === subject && query.error === null ? last.current.data : undefined;
  return { ...query, data: query.data ?? before };
}

/** A query that is not sent: nothing waits for its data, which is null. */
export function ifSent<Data>(query: Loading<Data>, isSent: boolean): Loading<Data | null> {
  return isSent ? query : { ...query, data: null };
}
