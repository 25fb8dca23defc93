import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Correction = Answer<'listDealCorrections'>['corrections'][number];
export type NamedCorrection = Pick<Correction, 'dealId' | 'name'>;

/** The corrected values of a deal, or the conflicts of all deals. */
export const correctionsQuery = (dealId: string | null) =>
  queryOptions({
    queryKey: ['deal-corrections', dealId],
    queryFn: ({ signal }) =>
      api.listDealCorrections(
        { query: { limit: '200', ...(dealId === null ? { conflicts: 'true' } : { dealId }) } },
        { signal },
      ),
  });

/** What ending the correction would do to commission. */
export const endEffectQuery = ({ dealId, name }: NamedCorrection) =>
  queryOptions({
    queryKey: ['dry-run', 'end-correction', dealId, name],
    queryFn: async () =>
      (
        await api.endDealCorrections({
          query: { dryRun: 'true', effect: 'true' },
          body: { corrections: [{ dealId, name }] },
        })
      ).effect ?? null,
    retry: false,
  });

export const endCorrection = ({ dealId, name }: NamedCorrection) =>
  api.endDealCorrections({ body: { corrections: [{ dealId, name }] } });

/** Keeps the value of the person until the source states another value than the one that was shown. */
export const dismissConflict = ({ dealId, name, reported }: Correction) =>
  api.dismissCorrectionConflicts({ body: { conflicts: [{ dealId, name, reported }] } });
