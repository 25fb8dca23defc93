import { z } from 'zod';
import { type CrmHttp } from '../http.js';
import { type Keyset, nextKeyset } from '../keyset.js';
import { type CrmAccess, CrmFailure } from '../port.js';
import { toInstant } from '../values.js';

const rowsPerSearch = 200;
/** A search returns at most this many results, however it is paged. */
const maxSearchResults = 10_000;

const searchPage = z.object({
  total: z.number().nullish(),
  results: z.array(z.object({ id: z.string(), properties: z.object({ hs_lastmodifieddate: z.string() }) })),
});

interface Search {
  readonly http: CrmHttp;
  /** The address of the search for records of the object. */
  readonly url: string;
  readonly access: CrmAccess;
}

interface ChangedWindow {
  readonly modifiedFrom: Date;
  readonly modifiedBefore: Date | undefined;
}

/** A page of records that were changed in the window. */
interface ChangedIds {
  /** Without those that the page before had. */
  readonly ids: readonly string[];
  /** Of all pages. */
  readonly total: number | null;
  /** Where the search continues; null after the last page. */
  readonly next: Keyset | null;
  readonly serverTime: Date;
}

/** Searches for the records of crm-b that were changed in the window, in the order of the changes. */
export async function* searchChanged(
  { http, url, access }: Search,
  { modifiedFrom, modifiedBefore }: ChangedWindow,
  start: Keyset | null = null,
): AsyncGenerator<ChangedIds> {
  let position = start;
  for (let isLast = false; !isLast; ) {
    const json = searchFor(position, modifiedFrom, modifiedBefore);
    const { body, serverTime } = await http.request({ method: 'POST', url, json, access, schema: searchPage });
    const seen = new Set(position?.seen);
    const ids = body.results.map(({ id }) => id).filter((id) => !seen.has(id));
    isLast = body.results.length < rowsPerSearch;
    position = nextKeyset(
      position,
      body.results.map(({ id, properties }) => ({ id, at: toInstant(properties.hs_lastmodifieddate) ?? '' })),
    );
    yield { ids, total: body.total ?? null, next: isLast ? null : position, serverTime };
  }
}

function searchFor(position: Keyset | null, modifiedFrom: Date, modifiedBefore: Date | undefined): unknown {
  const from = position === null ? modifiedFrom : new Date(position.from);
  const offset = position?.offset ?? 0;
  if (offset + rowsPerSearch > maxSearchResults)
    throw new CrmFailure('rejected', 'crmb: more records changed at one instant than a search can return');
  const on = (operator: string, at: Date) => ({
    propertyName: 'hs_lastmodifieddate',
    operator,
    value: String(at.getTime()),
  });
  return {
    filterGroups: [{ filters: [on('GTE', from), ...(modifiedBefore === undefined ? [] : [on('LT', modifiedBefore)])] }],
    sorts: [{ propertyName: 'hs_lastmodifieddate', direction: 'ASCENDING' }],
    properties: ['hs_lastmodifieddate'],
    limit: rowsPerSearch,
    ...(offset === 0 ? {} : { after: String(offset) }),
  };
}
