import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { allDays } from '../../../kernel/day.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { quotaNotFound, termsOf } from '../quota.js';
import { deleteQuotas } from '../quota-store.js';
import { findQuota } from '../quota-views.js';

const params = z.strictObject({ quotaId: pathIds.quotaId });

export const deleteQuota = operation({
  id: 'deleteQuota',
  summary: 'Remove a quota: the rep then has no attainment in the period',
  method: 'delete',
  path: '/v1/quotas/:quotaId',
  access: 'admin',
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown quota gets status 404'),
    quotaId: z.string().describe('Id of the quota (UUID)'),
  }),
  failures: { quota_not_found: 404 },
  tool: {
    name: 'delete_quota',
    title: 'Delete quota',
    hints: effects.sets,
    description: {
      purpose: 'Remove a target; the attainment of the rep in the period then reads 0 %.',
      useWhen: 'a quota was set for the wrong rep, rule or period.',
      notFor: 'changing a target (set_quota, which replaces it).',
      changes: 'commission of the rep in the period is recalculated at 0 % attainment; approved statements stay.',
    },
    arguments: { quotaId: 'The quota (of list_quotas)' },
    summary: () => 'The quota was removed. Commission is recalculated automatically.',
  },
  async subject(tx, { params: { quotaId } }) {
    const quota = await findQuota(tx, quotaId);
    if (quota === null) return { paid: [], state: null };
    return { paid: [quota.repId], state: termsOf(quota) };
  },
  example: { params: { quotaId: sampleIds.quotaId }, response: { deleted: true, quotaId: sampleIds.quotaId } },
  uses: { changes: CommissionChanges },
  async execute({ params: { quotaId: rawId } }, caller, { changes }) {
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const quota = await findQuota(tx, rawId);
      if (quota === null) throw quotaNotFound();
      const { quotaId, repId, planId, period } = quota;
      await deleteQuotas(tx, [quotaId]);
      await tx.changeTerms({ planRef: planId, repIds: [repId] });
      const days = (await loadCalendar(tx)).findRange(period) ?? allDays;
      await recalculate([{ repId, days, trigger: 'quota_change' }]);
      return { deleted: true, quotaId };
    });
  },
});
