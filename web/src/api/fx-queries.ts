import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type FxRate = Answer<'listFxRates'>['fxRates'][number];
type ChangedRates = Pick<Answer<'setFxRates'>, 'affected' | 'effect' | 'changed'>;
/** A rate as it is sent; the value is exact text. */
export type EnteredRate = Omit<FxRate, 'rate' | 'table'> & { readonly rate: string };

/** What is sent: rates that were pasted, or a file. */
export type SentRates =
  | { readonly rates: readonly EnteredRate[] }
  | { readonly csv: string; readonly delimiter: string };

/** The rates from the day on, newest first. */
export const fxRatesQuery = (since: string | null) =>
  queryOptions({
    queryKey: ['fx-rates', since],
    queryFn: async ({ signal }) => {
      const query = { limit: '10000', ...(since === null ? {} : { since }) };
      return api.listFxRates({ query }, { signal });
    },
  });

export async function sendRates(
  table: string,
  sent: SentRates,
  dryRun = false,
): Promise<ChangedRates & { readonly rejected: number; readonly reason: string | null }> {
  const flag = dryRun ? ('true' as const) : ('false' as const);
  const named = table === '' ? {} : { table };
  if ('rates' in sent) {
    const body = { ...named, rates: [...sent.rates] };
    return { ...(await api.setFxRates({ query: { dryRun: flag }, body })), rejected: 0, reason: null };
  }
  const query = { ...named, dryRun: flag, delimiter: sent.delimiter as ',' };
  const answer = await api.importFxRates({ query, upload: { contentType: 'text/csv', data: sent.csv } });
  return { ...answer, reason: answer.results.find(({ reason }) => reason !== undefined)?.reason ?? null };
}

/** What the rates would do to commission. */
export const ratesEffectQuery = (table: string, sent: SentRates | null) =>
  queryOptions({
    queryKey: ['dry-run', 'fx-rates', table, sent],
    queryFn: async () => (sent === null ? null : sendRates(table, sent, true)),
    enabled: sent !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });

export function removeRate({ table, from, to, day }: FxRate, dryRun = false) {
  const query = { table, from, to, since: day, until: day, dryRun: dryRun ? ('true' as const) : ('false' as const) };
  return api.deleteFxRates({ query });
}

/** What uses the rate: what its removal would do. */
export const rateUseQuery = (rate: FxRate) =>
  queryOptions({
    queryKey: ['dry-run', 'fx-rate-removal', rate.table, rate.from, rate.to, rate.day],
    queryFn: () => removeRate(rate, true),
    retry: false,
  });
