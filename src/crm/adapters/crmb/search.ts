import { z } from 'zod';
import { type Keyset } from '../keyset.js';
import { CrmFailure } from '../port.js';

export const rowsPerSearch = 200;
/** A search returns at most this many results, however it is paged. */
const maxSearchResults = 10_000;

export const searchPage = z.object({
  total: z.number().nullish(),
  results: z.array(z.object({ id: z.string(), properties: z.object({ hs_lastmodifieddate: z.string() }) })),
});

/** The body of a search for records of crm-b that were changed in the window, in the order of the changes. */
export function searchFor(position: Keyset | null, modifiedFrom: Date, modifiedBefore: Date | undefined): unknown {
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
