import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Draw = Answer<'listDraws'>['draws'][number];
export type ChangedDraw = Answer<'createDraw'>;
export type DrawEffect = NonNullable<ChangedDraw['effect']>;
export type NewDraw = Parameters<typeof api.createDraw>[0]['body'];

/** The draws of a person, with what approved statements granted and recovered of them. */
export const drawsQuery = (repId: string) =>
  queryOptions({
    queryKey: ['draws', repId],
    queryFn: async ({ signal }) => (await api.listDraws({ query: { repId } }, { signal })).draws,
  });

/** Enters a draw, or changes the last day and the repayment of the one with the id. */
export function sendDraw(drawId: string | null, terms: NewDraw, dryRun = false): Promise<ChangedDraw> {
  const query = { dryRun: dryRun ? ('true' as const) : ('false' as const) };
  const { to, recovery } = terms;
  return drawId === null
    ? api.createDraw({ query, body: terms })
    : api.updateDraw({ params: { drawId }, query, body: { to, recovery } });
}

const preview = { placeholderData: keepPreviousData, retry: false } as const;

/** What the change of a draw would do to open statements, and what may be wrong with it. */
export const drawEffectQuery = (drawId: string | null, terms: NewDraw) =>
  queryOptions({
    queryKey: ['dry-run', 'draw', drawId, terms],
    queryFn: () => sendDraw(drawId, terms, true),
    ...preview,
  });

export const drawRemovalQuery = (drawId: string) =>
  queryOptions({
    queryKey: ['dry-run', 'draw-removal', drawId],
    queryFn: ({ signal }) => api.deleteDraw({ params: { drawId }, query: { dryRun: 'true' } }, { signal }),
    ...preview,
  });

export const forgivenessQuery = (drawId: string, body: { readonly amount: number; readonly reason: string }) =>
  queryOptions({
    queryKey: ['dry-run', 'draw-forgiveness', drawId, body],
    queryFn: ({ signal }) => api.forgiveDraw({ params: { drawId }, query: { dryRun: 'true' }, body }, { signal }),
    ...preview,
  });
