import { z } from 'zod';
import { keyScopes } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import {
  type IntegrationKey,
  integrationKey,
  integrationKeyExample,
  keyScope,
  maxIntegrationKeys,
} from '../integration-key.js';
import { insertIntegrationKey } from '../token-store.js';
import { listIntegrationKeys } from '../token-views.js';

const body = z.strictObject({
  name: text(200).describe('Name of the key, such as the system that uses it'),
  scopes: z
    .array(keyScope)
    .min(1)
    .max(keyScopes.length)
    .transform((scopes) => [...new Set(scopes)])
    .describe('What the key permits'),
  expiresInDays: z.int().min(1).max(730).default(365).describe('Days until the key becomes invalid, 1 to 730'),
  agent: z
    .boolean()
    .default(false)
    .describe(
      'true for the key of an agent: it changes nothing over REST, so that `agentWrites` decides about its changes',
    ),
});

export const createIntegrationKey = operation({
  id: 'createIntegrationKey',
  summary: 'Create a key for another system, restricted to scopes; it is shown only once',
  method: 'post',
  path: '/v1/workspaces/integration-keys',
  access: 'admin',
  stepUp: 'always',
  body,
  response: z.object({ ...integrationKey.shape, key: z.string().describe('The key; returned only once') }),
  status: 201,
  secret: true,
  failures: { too_many_keys: 409 },
  example: {
    body: { name: 'Payroll export', scopes: ['read', 'payroll'], expiresInDays: 365 },
    response: { ...integrationKeyExample, lastUsedAt: null, key: 'int_…' },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: request }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const existing = await listIntegrationKeys(tx);
      if (existing.length >= maxIntegrationKeys)
        throw new Failure(
          'too_many_keys',
          `The workspace has ${maxIntegrationKeys} integration keys. Revoke one that is not used any more.`,
        );
      const { id, key } = await insertIntegrationKey(tx, caller, request);
      const keys = await listIntegrationKeys(tx);
      return { ...(keys.find((created) => created.id === id) as IntegrationKey), key };
    });
  },
});
