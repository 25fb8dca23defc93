import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type FiscalYears, setFiscalYears } from '../shared/format/periods.js';
import { api } from './client.js';
import { type CommissionEffect } from './effect-queries.js';

/** The fiscal years of the workspace. Periods are formatted by the ones that were read last. */
export const fiscalYearsQuery = queryOptions({
  queryKey: ['fiscal-years'],
  queryFn: async ({ signal }): Promise<FiscalYears> => {
    const { fiscalYears } = await api.listFiscalYears({}, { signal });
    const years = fiscalYears.map(({ year, start, pattern, weeks }) => ({
      year,
      start,
      pattern,
      weeks: weeks === 53 ? (53 as const) : (52 as const),
    }));
    setFiscalYears(years);
    return years;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** What other fiscal years would do to commission. */
export const fiscalYearsEffectQuery = (years: FiscalYears) =>
  queryOptions({
    queryKey: ['dry-run', 'fiscal-years', years],
    queryFn: async ({ signal }): Promise<CommissionEffect> =>
      (await api.setFiscalYears({ query: { dryRun: 'true' }, body: [...years] }, { signal })).effect ?? null,
    placeholderData: keepPreviousData,
    retry: false,
  });
