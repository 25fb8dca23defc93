import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { type DayRange } from '../../../kernel/day.js';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { changeOrPreview } from '../../../simulation/preview-write.js';
import { dryRunQuery, personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import { type Ramp, ramp, rampExample, rampTerms, stepsArgument } from '../ramp.js';
import { loadRepsOnRamp, storeRamp } from '../ramp-store.js';
import { findRamp, loadRampSubject } from '../ramp-views.js';

const body = z.strictObject(rampTerms).partial();

const response = ramp.extend({
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With dryRun. null: the people have more deals than can be calculated at once'),
});

export const updateRamp = operation({
  id: 'updateRamp',
  summary: 'Change the name or the steps of a ramp, for everyone who has it',
  method: 'patch',
  path: '/v1/ramps/:rampId',
  access: 'admin',
  params: z.strictObject({ rampId: pathIds.rampId }),
  query: dryRunQuery,
  body,
  response,
  failures: { ramp_not_found: 404, ramp_name_taken: 409 },
  tool: {
    name: 'update_ramp',
    title: 'Change ramp',
    hints: effects.sets,
    description: {
      purpose: 'Change the name or the steps of a ramp for everyone who has it.',
      useWhen: 'its steps were wrong. Call it with dryRun true first.',
      notFor: 'the ramp of one person (create_ramp, then update_assignment).',
      changes: 'quotas and commission of everyone on the ramp; approved statements stay.',
    },
    arguments: {
      rampId: 'The ramp (of list_ramps)',
      name: 'New name',
      steps: { ...stepsArgument, description: 'All steps, as in create_ramp' },
      dryRun: 'true: only say the effect',
    },
    summary: ({ rampId, assignments }) => `Ramp ${rampId}, assignments: ${assignments}.`,
  },
  subject: (tx, { params: { rampId } }) => loadRampSubject(tx, rampId),
  example: {
    params: { rampId: sampleIds.rampId },
    body: { name: 'First quarter' },
    response: { ...rampExample, name: 'First quarter' },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute(
    { params: { rampId }, query: { dryRun }, body: change },
    caller,
    uses,
  ): Promise<z.input<typeof response>> {
    if (change.name === undefined && change.steps === undefined)
      throw invalid({ path: '', message: 'give at least one field to change' });
    return changeOrPreview(uses, caller, { dryRun, toEffect: toPersonalEffect }, (tx) =>
      changeRamp(tx, rampId, change),
    );
  },
});

/** Stores the change. Returns the people whom it affects, with the days. */
async function changeRamp(tx: Transaction, rampId: string, { name, steps }: z.infer<typeof body>) {
  const current = await findRamp(tx, rampId);
  const result: Ramp = { ...current, name: name ?? current.name, steps: steps ?? current.steps };
  await storeRamp(tx, result);
  const isSame = JSON.stringify(result.steps) === JSON.stringify(current.steps);
  const affected: ReadonlyMap<string, DayRange> = isSame ? new Map() : await loadRepsOnRamp(tx, current, result);
  await tx.changeTerms({ repIds: [...affected.keys()] });
  return { result, affected, trigger: 'ramp' as const };
}
