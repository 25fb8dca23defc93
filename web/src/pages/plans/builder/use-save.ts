import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '#src/client.js';
import { exceptPreviews } from '../../../api/change.js';
import { api } from '../../../api/client.js';
import { toSentChange } from '../../../api/plan-queries.js';
import { planHistoryQuery } from '../../../api/queries.js';
import { showMessage } from '../../../app/messages.js';
import { isSame } from '../../../features/plans/draft.js';
import { type Builder } from './use-builder.js';

interface Save {
  readonly status: 'draft' | 'active';
  /** Whether a version becomes active although its tests fail. */
  readonly force?: boolean;
}

const maxRetries = 20;

/**
 * Stores the draft as a version, or makes the stored version active. A new plan opens under its own address. What was
 * edited meanwhile stays as a change of the new version.
 */
export function useSave(builder: Builder, isShownInForm: boolean) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (save: Save) => ({ saved: await write(builder, save), sent: builder.draft }),
    meta: { isShownInForm },
    // Calculations that other changes have started end within seconds.
    retry: (failures, error) =>
      error instanceof ApiError && error.code === 'calculation_pending' && failures < maxRetries,
    retryDelay: 2000,
    onSuccess: async ({ saved, sent }, { status }) => {
      const { planId, planVersionId, version } = saved;
      // Until the history is loaded again, the form would display the version before.
      queryClient.setQueryData(planHistoryQuery(planId).queryKey, (history = []) =>
        [saved, ...history.filter((version) => version.planVersionId !== planVersionId)].sort(
          (a, b) => b.version - a.version,
        ),
      );
      if (builder.plan === null) await navigate({ to: '/plans/$planId/edit', params: { planId }, ignoreBlocker: true });
      if (builder.plan === null || isSame(builder.draft, sent)) builder.discard();
      else builder.rebase(saved, true);
      showMessage(
        status === 'active' ? `Version ${version} is active.` : `Version ${version} is saved and pays nothing yet.`,
      );
      await queryClient.invalidateQueries(exceptPreviews);
    },
  });
}

async function write({ plan, draft, base, isChanged }: Builder, { status, force = false }: Save) {
  if (plan === null || base === null)
    return api.createPlan({ body: { ...(await toSentChange(draft)), name: draft.name, status, force } });
  const isActive = plan.planStatus === 'active';
  if (!isChanged)
    return api.setPlanStatus({
      params: { planRef: isActive ? base.planVersionId : plan.planId },
      body: { status, force },
    });
  return api.updatePlan({
    // A version that is saved for later leaves the status of the plan as it is.
    params: { planRef: isActive ? base.planVersionId : plan.planId },
    body: {
      ...(await toSentChange(draft)),
      ...(draft.name === plan.name ? {} : { name: draft.name }),
      status,
      force,
      latestVersion: base.latest,
    },
  });
}
