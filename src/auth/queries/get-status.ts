import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { roles } from '../../kernel/caller.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { operation } from '../../platform/operation.js';
import { tokenKinds } from '../../platform/secrets/token.js';
import { roleOf } from '../identity-views.js';

const response = z.object({
  valid: z.literal(true).describe('Always true: an invalid token gets status 401'),
  workspaceId: fields.workspaceId,
  kind: z
    .enum(tokenKinds)
    .describe('ws: API key; sess: session of a person; conn: connection token; int: integration key'),
  role: z.enum(roles).nullable().describe('The role that the token acts with; null for a connection token'),
  repId: z.string().nullable().describe('The rep of a session (UUID); null for tokens without a person'),
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
    answer: { valid: true, workspaceId: sampleIds.workspaceId, kind: 'sess', role: 'rep', repId: sampleIds.repId },
  },
  async execute(_input, caller): Promise<z.input<typeof response>> {
    const { workspaceId, tokenKind = 'ws', repId } = caller;
    return { valid: true, workspaceId, kind: tokenKind, role: roleOf(caller), repId };
  },
});
