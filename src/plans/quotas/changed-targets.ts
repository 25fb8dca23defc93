import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Quota } from './quota.js';
import { listQuotas } from './quota-views.js';

const changedTarget = z
  .object({
    quotaId: z.string().describe('Id of the quota (UUID)'),
    planId: fields.planId,
    measure: fields.measure,
    period: z.string().describe('Attainment period, such as 2026-Q1'),
    before: z.number().describe('The target that counts now'),
    after: z.number().describe('The target that would count'),
    variableBefore: z.number().nullable().describe('The variable target that counts now; null if it is not set'),
    variableAfter: z.number().nullable().describe('The variable target that would count; null if it is not set'),
    explanation: z.string().optional().describe('How the new target is computed, such as 90,000 × 60 of 90 days'),
  })
  .describe('A target that the change moves');

export const changedTargets = z
  .array(changedTarget)
  .optional()
  .describe('With dryRun: the targets of the person that the change moves, oldest period first');

/** What the write returns, and in a dry run the targets of the person that it moves. */
export async function withChangedTargets<Stored>(
  tx: Transaction,
  dryRun: boolean,
  repId: string,
  write: () => Promise<Stored>,
): Promise<{ readonly stored: Stored; readonly targets?: z.input<typeof changedTarget>[] }> {
  if (!dryRun) return { stored: await write() };
  const before = await listQuotas(tx, { repIds: [repId] });
  const stored = await write();
  return { stored, targets: listChangedTargets(before, await listQuotas(tx, { repIds: [repId] })) };
}

function listChangedTargets(stored: readonly Quota[], changed: readonly Quota[]): z.input<typeof changedTarget>[] {
  const quotas = new Map(stored.map((quota) => [quota.quotaId, quota]));
  return changed.flatMap((quota) => {
    const before = quotas.get(quota.quotaId);
    if (before === undefined) return [];
    const [now, next] = [before, quota].map(countedTargets) as [CountedTargets, CountedTargets];
    if (now.target === next.target && now.variableTarget === next.variableTarget) return [];
    const { quotaId, planId, measure, period, explanation } = quota;
    return [
      {
        ...{ quotaId, planId, measure, period, before: now.target, after: next.target },
        ...{ variableBefore: now.variableTarget, variableAfter: next.variableTarget },
        ...(explanation === undefined ? {} : { explanation }),
      },
    ];
  });
}

type CountedTargets = Pick<Quota, 'target' | 'variableTarget'>;

function countedTargets({ target, variableTarget, effectiveTarget, effectiveVariableTarget }: Quota): CountedTargets {
  return {
    target: effectiveTarget ?? target,
    variableTarget: effectiveVariableTarget === undefined ? variableTarget : effectiveVariableTarget,
  };
}
