import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { flag } from '../../platform/operations/schemas.js';

export const ruleQuery = z.strictObject({
  dryRun: flag.default(false).describe('true: return the effect on stored deals and commission; writes nothing'),
});

export const ruleParams = z.strictObject({ creditRuleId: pathIds.creditRuleId });
