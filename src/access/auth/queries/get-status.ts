import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { operation } from '../../../platform/operations/operation.js';
import { tokenFields, toTokenFields } from '../identity-views.js';

const response = z.object({
  valid: z.literal(true).describe('Always true: an invalid token gets status 401'),
  workspaceId: fields.workspaceId,
  ...tokenFields,
});

export const getAuthStatus = operation({
  id: 'getAuthStatus',
  summary: 'Whether the token is valid, of which kind and workspace it is, and what it may do',
  method: 'get',
  path: '/auth/status',
  access: 'connection',
  payroll: true,
  scope: 'any',
  response,
  failures: {},
  example: {
    response: { valid: true, workspaceId: sampleIds.workspaceId, kind: 'sess', role: 'rep', repId: sampleIds.repId },
  },
  async execute(_input, caller): Promise<z.input<typeof response>> {
    return { valid: true, workspaceId: caller.workspaceId, ...toTokenFields(caller) };
  },
});
