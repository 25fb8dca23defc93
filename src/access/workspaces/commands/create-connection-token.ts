import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { connectionTokenExample } from '../connection-token.js';
import { insertConnectionToken } from '../token-store.js';

const body = z.strictObject({
  label: text(200).nullish().describe('Name of the token, such as the system that uses it'),
});

const response = z.object({
  id: z.string().describe('Id of the token (UUID)'),
  token: z.string().describe('The connection token; returned only once'),
  label: z.string().nullable().describe('Name of the token; null for none'),
  createdAt: fields.createdAt,
});

export const createConnectionToken = operation({
  id: 'createConnectionToken',
  summary: 'Create a token for an embedded CRM widget; it is shown only once',
  method: 'post',
  path: '/v1/workspaces/connection-tokens',
  access: 'admin',
  stepUp: 'always',
  body,
  response,
  status: 201,
  secret: true,
  failures: {},
  example: { body: { label: 'CRM widget' }, response: { ...connectionTokenExample, token: 'conn_…' } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: { label } }, caller, { unitOfWork }) {
    const { id, token, createdAt } = await unitOfWork.write(caller, (tx) =>
      insertConnectionToken(tx, caller, label ?? null),
    );
    return { id, token, label: label ?? null, createdAt: createdAt.toISOString() };
  },
});
