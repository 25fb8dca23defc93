import { z } from 'zod';
import { rebuildDealProjections } from '../../../deals/rebuild-deal-projections.js';
import { allDays } from '../../../kernel/day.js';
import { invalid } from '../../../kernel/failure.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { listRepIds } from '../../../people/reps/rep-views.js';
import { assertTablesFitCurrency } from '../../../plans/workspace-terms-checks.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { currency } from '../../../platform/operations/schemas.js';
import { previewWrite } from '../../../simulation/preview-write.js';
import { commissionEffect, loadAffectedWithin, toCommissionEffect } from '../../../simulation/write-effect.js';
import { fxMaxAgeDays, minQuotaPercent, timeZone } from '../workspace.js';
import { updateWorkspaceRow } from '../workspace-store.js';

const body = z.strictObject({
  currency: currency.optional().describe('Currency of the workspace, ISO 4217 code'),
  timezone: timeZone.optional().describe('IANA time zone of the workspace, such as Europe/Berlin'),
  minQuotaPercent: minQuotaPercent.optional(),
  fxMaxAgeDays: fxMaxAgeDays.optional(),
});

const response = z.object({
  effect: commissionEffect.nullable().describe('null: there are more deals than can be calculated at once'),
});

export const previewWorkspace = operation({
  id: 'previewWorkspace',
  summary:
    'What another currency, time zone, minimum of prorated quotas or max age of exchange rates would do to commission; writes nothing',
  method: 'post',
  path: '/v1/workspaces/preview',
  access: 'admin',
  scope: 'read',
  body,
  response,
  failures: { currency_differs: 400, plan_too_complex: 400 },
  example: { body: { currency: 'EUR' }, response: { effect: { lines: 0, reps: 0, totals: [], locked: [] } } },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ body: change }, caller, uses): Promise<z.input<typeof response>> {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'give at least one of currency, timezone, minQuotaPercent, fxMaxAgeDays' });
    return previewWrite(uses, caller, toCommissionEffect, async (tx) => {
      if (change.currency !== undefined) await assertTablesFitCurrency(tx, change.currency);
      const reps = await listRepIds(tx);
      const affected = await loadAffectedWithin(tx, new Map(reps.map((repId) => [repId, allDays])));
      // Too many deals: there is no effect, so nothing needs to be written.
      if (affected === null) return { result: {}, affected };
      await updateWorkspaceRow(tx, change);
      if (change.timezone !== undefined) await rebuildDealProjections(tx);
      return { result: {}, affected };
    });
  },
});
