import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { keyScopes } from '../../kernel/caller.js';

export const keyScope = z
  .enum(keyScopes)
  .describe(
    'read: all reads except files; deals: deals and calculations; plans: plans, fields, assignments and quotas; payroll: statements, their files and hand-overs; scim: people and roles at the SCIM endpoint of identity providers',
  );

/** A key of another system. It acts as an admin within its scopes and belongs to no person. */
export const integrationKey = z
  .object({
    id: z.string().describe('Id of the key (UUID)'),
    name: z.string().describe('Name of the key'),
    scopes: z.array(keyScope).describe('What the key permits'),
    agent: z
      .boolean()
      .describe(
        'Whether an agent uses the key: then it changes nothing over REST, and only by the tools of the MCP endpoint',
      ),
    createdBy: z
      .string()
      .nullable()
      .describe('The person who created the key (UUID); null if it was created with a key of the command line'),
    createdAt: fields.createdAt,
    expiresAt: z.string().describe('When the key becomes invalid, instant in ISO 8601'),
    lastUsedAt: z.string().nullable().describe('When the key was last used, instant in ISO 8601; null for never'),
  })
  .describe('A key of another system, without its secret');
export type IntegrationKey = z.input<typeof integrationKey>;

export const integrationKeyExample = {
  id: '5e6f7a8b-9c0d-4e1f-8a2b-5c6d7e8f9a0b',
  name: 'Payroll export',
  scopes: ['read', 'payroll'] as ('read' | 'payroll')[],
  agent: false,
  createdBy: null,
  createdAt: '2026-02-11T08:30:00.000Z',
  expiresAt: '2027-02-11T08:30:00.000Z',
};

/** A workspace has at most this many valid integration keys. */
export const maxIntegrationKeys = 100;
