import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ReadableError } from '../../api/client.js';
import { type ChangedDeal } from './edited-deal.js';

interface ImportOptions {
  readonly dryRun?: 'true';
  readonly effect?: 'true';
}

/** Sends the changed values of deals as an import that keeps every other value. Later syncs keep what it changes. */
function importValues(rows: readonly ChangedDeal[], query: ImportOptions = {}) {
  const upload = { contentType: 'application/json', data: JSON.stringify({ deals: rows }) };
  return api.importDeals({ query: { mode: 'merge', corrections: 'set', ...query }, upload });
}

async function importOne(row: ChangedDeal, query: ImportOptions = {}) {
  const response = await importValues([row], query);
  const [rejected] = response.rejected;
  if (rejected !== undefined) throw new ReadableError(`The deal cannot be saved: ${rejected.reason}.`);
  return response;
}

const asPreview = { placeholderData: keepPreviousData, retry: false } as const;

/** What the changed values would do to commission. For null there is no request. */
export const dealEffectQuery = (row: ChangedDeal | null) =>
  queryOptions({
    queryKey: ['dry-run', 'deal', row],
    queryFn: async () =>
      row === null ? null : ((await importOne(row, { dryRun: 'true', effect: 'true' })).effect ?? null),
    enabled: row !== null,
    ...asPreview,
  });

/** Saves the values. A new deal never replaces a stored one with its ID. */
export async function writeDeal(row: ChangedDeal, isNew: boolean): Promise<void> {
  if (isNew && (await importOne(row, { dryRun: 'true' })).created === 0)
    throw new ReadableError('There is a deal with this ID. Find it in the list and edit it there.');
  await importOne(row);
}

/** What one value for many deals would do to commission. Without rows there is no request. */
export const dealsEffectQuery = (rows: readonly ChangedDeal[]) =>
  queryOptions({
    queryKey: ['dry-run', 'deals', rows],
    queryFn: async () => (await importValues(rows, { dryRun: 'true', effect: 'true' })).effect ?? null,
    enabled: rows.length > 0,
    ...asPreview,
  });

/** Saves a value for many deals, all or none of them. */
export async function writeDeals(rows: readonly ChangedDeal[]): Promise<number> {
  const [rejected] = (await importValues(rows, { dryRun: 'true' })).rejected;
  if (rejected !== undefined)
    throw new ReadableError(
      `${rows[rejected.row - 1]?.dealId ?? 'A deal'} cannot be saved: ${rejected.reason}. No deal was changed.`,
    );
  return (await importValues(rows)).accepted;
}

/** The service deletes so many deals in one request. */
export const maxDeleted = 10_000;

/** What a deletion would do to commission. */
export const deletionEffectQuery = (dealIds: readonly string[]) =>
  queryOptions({
    queryKey: ['dry-run', 'deletion', dealIds],
    queryFn: async () =>
      (await api.deleteDeals({ query: { dryRun: 'true', effect: 'true' }, body: { dealIds: [...dealIds] } })).effect ??
      null,
    enabled: dealIds.length > 0 && dealIds.length <= maxDeleted,
    ...asPreview,
  });
