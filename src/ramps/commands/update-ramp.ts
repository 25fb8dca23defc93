import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { operation } from '../../platform/operations/operation.js';
import { type Ramp, ramp, rampExample, rampTerms } from '../ramp.js';
import { recalculateRamped, storeRamp } from '../ramp-store.js';
import { findRamp } from '../ramp-views.js';

export const updateRamp = operation({
  id: 'updateRamp',
  summary: 'Change the name or the steps of a ramp, for everyone who has it',
  method: 'patch',
  path: '/v1/ramps/:rampId',
  access: 'admin',
  params: z.strictObject({ rampId: pathIds.rampId }),
  body: z.strictObject(rampTerms).partial(),
  response: ramp,
  failures: { ramp_not_found: 404, ramp_name_taken: 409 },
  example: {
    params: { rampId: sampleIds.rampId },
    body: { name: 'First quarter' },
    response: { ...rampExample, name: 'First quarter' },
  },
  uses: { changes: CommissionChanges },
  async execute({ params: { rampId }, body: { name, steps } }, caller, { changes }): Promise<Ramp> {
    if (name === undefined && steps === undefined)
      throw invalid({ path: '', message: 'give at least one field to change' });
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const current = await findRamp(tx, rampId);
      const changed = { ...current, name: name ?? current.name, steps: steps ?? current.steps };
      await storeRamp(tx, changed);
      if (steps !== undefined) await recalculateRamped(tx, recalculate, current.rampId);
      return changed;
    });
  },
});
