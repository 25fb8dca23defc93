import { z } from 'zod';
import { newId } from '../../../kernel/ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation, payingNoOne } from '../../../platform/operations/operation.js';
import { type Ramp, ramp, rampExample, rampTerms, stepsArgument } from '../ramp.js';
import { storeRamp } from '../ramp-store.js';

export const createRamp = operation({
  id: 'createRamp',
  summary: 'Create a ramp, which assignments then name: quotas of new people grow step by step',
  method: 'post',
  path: '/v1/ramps',
  access: 'admin',
  body: z.strictObject(rampTerms),
  response: ramp,
  status: 201,
  failures: { ramp_name_taken: 409 },
  tool: {
    name: 'create_ramp',
    title: 'Create ramp',
    hints: effects.adds,
    description: {
      purpose: 'Create a ramp: quotas of new people grow step by step.',
      useWhen: 'list_ramps has no such ramp.',
      notFor: 'giving a ramp to a person (create_assignments or update_assignment with rampId).',
      changes: 'adds a ramp, which changes nothing until an assignment has it.',
    },
    arguments: { name: 'Unique name of the ramp', steps: stepsArgument },
    summary: ({ rampId }) => `Created ramp ${rampId}. Next: create_assignments with this rampId.`,
  },
  subject: payingNoOne,
  example: {
    body: {
      name: rampExample.name,
      steps: rampExample.steps.map(({ months, quotaPercent }) => ({ months, quotaPercent })),
    },
    response: { ...rampExample, assignments: 0 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: terms }, caller, { unitOfWork }): Promise<Ramp> {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const created = { rampId: newId(), ...terms };
      await storeRamp(tx, created);
      return { ...created, assignments: 0 };
    });
  },
});
