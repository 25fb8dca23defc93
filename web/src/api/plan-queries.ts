import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Draft, missingTables, toChange, toConfig, withTables } from '../features/plans/draft.js';
import { type Answer, api } from './client.js';
import { type Simulation } from './queries.js';

export type PlanPreview = Answer<'previewPlanChange'>;
export type TestResult = Answer<'runPlanTests'>;

export const templatesQuery = queryOptions({
  queryKey: ['plan-templates'],
  queryFn: ({ signal }) => api.listPlanTemplates({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The fields that plans may use, also those of products beside the ones that every product has. */
export const fieldsWithLinesQuery = queryOptions({
  queryKey: ['fields', 'with lines'],
  queryFn: ({ signal }) => api.listFields({ query: { lines: 'true' } }, { signal }),
});

/** The fields of deals that plans may use. */
export const fieldsQuery = queryOptions({
  queryKey: ['fields'],
  queryFn: ({ signal }) => api.listFields({}, { signal }),
});

/** The fields that deals have; scores, which are entered on their own page, have further ones. */
export const dealFieldsQuery = queryOptions({
  queryKey: ['fields', 'of deals'],
  queryFn: ({ signal }) => api.listFields({ query: { scores: 'false' } }, { signal }),
});

/** Values that deals have in a field; none for a field without a list of values. */
export const fieldOptionsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['field-options', slug],
    queryFn: ({ signal }) => api.listFieldOptions({ params: { slug } }, { signal }).catch(() => []),
  });

/** Every version of every plan that starts on no earlier day, as a preview of it may concern. */
const firstDay = '2000-01-01';
const pollMs = 700;

function lastDay(): string {
  return `${new Date().getFullYear() + 1}-12-31`;
}

/** The tests as they are sent: with the stored rate tables that the rules name. */
async function toSentTests(draft: Draft): Promise<ReturnType<typeof toChange>['tests']> {
  const tables = await Promise.all(
    missingTables(draft).map(async (name) => {
      const { plans: _, revision: __, ...table } = await api.getRateTable({ params: { name } });
      return table;
    }),
  );
  return withTables(draft.tests, tables) as never;
}

/** What a request for a new version contains. */
export async function toSentChange(draft: Draft): Promise<ReturnType<typeof toChange>> {
  return { ...toChange(draft), tests: await toSentTests(draft) };
}

type PreviewBody = Parameters<typeof api.previewPlanChange>[0]['body'];

/** What a change would do to commission. A worker calculates it; the query waits for the result. */
async function preview(planRef: string, body: PreviewBody, signal: AbortSignal): Promise<PlanPreview> {
  let response = await api.previewPlanChange({ params: { planRef }, body }, { signal });
  while (response.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    signal.throwIfAborted();
    response = await api.getPlanPreview({ params: { planRef, jobId: response.jobId } }, { signal });
  }
  return response;
}

/** The effect of the draft as an active version. */
export const previewQuery = (planRef: string, draft: Draft) =>
  queryOptions({
    queryKey: ['dry-run', 'plan', planRef, draft],
    queryFn: async ({ signal }) =>
      preview(
        planRef,
        { ...(await toSentChange(draft)), status: 'active', from: draft.effectiveStart ?? firstDay, to: lastDay() },
        signal,
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The effect of another status of a version. */
export const statusPreviewQuery = (planVersionId: string, status: 'active' | 'archived') =>
  queryOptions({
    queryKey: ['dry-run', 'plan-status', planVersionId, status],
    queryFn: ({ signal }) => preview(planVersionId, { status, from: firstDay, to: lastDay() }, signal),
    retry: false,
  });

/** What a person would earn in a period under the draft. */
export const draftSimulationQuery = (planId: string | null, draft: Draft, repId: string, period: string) =>
  queryOptions({
    queryKey: ['draft-simulation', planId, draft.terms, draft.fx, draft.effectiveStart, repId, period],
    queryFn: ({ signal }) =>
      api.simulateCommissions(
        {
          body: {
            ...(planId === null ? {} : { planId, effectiveStart: draft.effectiveStart }),
            config: toConfig(draft.terms),
            fx: draft.fx ?? null,
            repId,
            period,
          },
        },
        { signal },
      ) as Promise<Simulation>,
    placeholderData: keepPreviousData,
    retry: false,
  });

export const testsQuery = (planRef: string, draft: Draft) =>
  queryOptions({
    queryKey: ['plan-tests', planRef, draft.terms, draft.tests, draft.currency, draft.fx],
    queryFn: async ({ signal }) =>
      api.runPlanTests(
        {
          params: { planRef },
          body: {
            config: toConfig(draft.terms),
            tests: await toSentTests(draft),
            currency: draft.currency,
            fx: draft.fx ?? null,
          },
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
