import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type CommissionEffect = Answer<'previewQuotas'>['effect'];

/** The effect of a change that concerns people has what it does to each of them. */
export type PersonalEffect = NonNullable<Answer<'createAbsence'>['effect']>;

type Overrides = Parameters<typeof api.previewPlanOverride>[0]['body']['overrides'];
type QuotaChange = Parameters<typeof api.previewQuotas>[0]['body'];

const common = { placeholderData: keepPreviousData, retry: false } as const;

/** What other terms of a person would do to commission. */
export const overrideEffectQuery = (planRef: string, repId: string, overrides: Overrides) =>
  queryOptions({
    queryKey: ['dry-run', 'override', planRef, repId, overrides],
    queryFn: async ({ signal }) =>
      (await api.previewPlanOverride({ params: { planRef, repId }, body: { overrides } }, { signal })).effect,
    ...common,
  });

/** What other quotas would do to commission. */
export const quotaEffectQuery = (change: QuotaChange) =>
  queryOptions({
    queryKey: ['dry-run', 'quotas', change],
    queryFn: async ({ signal }) => (await api.previewQuotas({ body: change }, { signal })).effect,
    ...common,
  });

type WorkspaceTerms = NonNullable<NonNullable<Parameters<typeof api.previewWorkspace>[0]>['body']>;

/** What other terms of the workspace, which apply to everyone, would do to commission. */
export const workspaceEffectQuery = (change: WorkspaceTerms) =>
  queryOptions({
    queryKey: ['dry-run', 'workspace', change],
    queryFn: async ({ signal }) => (await api.previewWorkspace({ body: change }, { signal })).effect,
    ...common,
  });
