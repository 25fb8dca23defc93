import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ReadableError } from '../../api/client.js';
import { type ChangedDeal } from './edited-deal.js';

/** Sends the changed values of one deal as an import that keeps every other value. */
async function importOne(row: ChangedDeal, query: { readonly dryRun?: 'true'; readonly effect?: 'true' } = {}) {
  const upload = { contentType: 'application/json', data: JSON.stringify({ deals: [row] }) };
  const response = await api.importDeals({ query: { mode: 'merge', ...query }, upload });
  const [rejected] = response.rejected;
  if (rejected !== undefined) throw new ReadableError(`The deal cannot be saved: ${rejected.reason}.`);
  return response;
}

/** What the changed values would do to commission. For null there is no request. */
export const dealEffectQuery = (row: ChangedDeal | null) =>
  queryOptions({
    queryKey: ['deal-effect', row],
    queryFn: async () =>
      row === null ? null : ((await importOne(row, { dryRun: 'true', effect: 'true' })).effect ?? null),
    enabled: row !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Saves the values. A new deal never replaces a stored one with its ID. */
export async function writeDeal(row: ChangedDeal, isNew: boolean): Promise<void> {
  if (isNew && (await importOne(row, { dryRun: 'true' })).created === 0)
    throw new ReadableError('There is a deal with this ID. Find it in the list and edit it there.');
  await importOne(row);
}
