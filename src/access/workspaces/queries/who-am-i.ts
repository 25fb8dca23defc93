import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { serviceVersion } from '../../../platform/version.js';
import { tokenFields, toTokenFields } from '../../auth/identity-views.js';
import { findWorkspace } from '../workspace-views.js';

const response = z.object({
  workspaceId: fields.workspaceId,
  workspaceName: z.string().describe('Name of the workspace'),
  ...tokenFields,
  version: z.string().describe('Version of the service'),
  docs: z.string().describe('Path of the API reference'),
  openapi: z.string().describe('Path of the OpenAPI document'),
});

export const whoAmI = operation({
  id: 'whoAmI',
  summary: 'The workspace, person and role of the token, and the addresses of the documents',
  method: 'get',
  path: '/v1',
  access: 'connection',
  payroll: true,
  scope: 'any',
  response,
  failures: {},
  example: {
    response: {
      workspaceId: sampleIds.workspaceId,
      workspaceName: 'Acme',
      kind: 'ws',
      role: 'admin',
      repId: null,
      version: '0.1.0',
      docs: '/docs',
      openapi: '/v1/openapi.json',
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    const { workspaceId, name } = await unitOfWork.read(caller, (tx) => findWorkspace(tx));
    return {
      workspaceId,
      workspaceName: name,
      ...toTokenFields(caller),
      version: serviceVersion,
      docs: '/docs',
      openapi: '/v1/openapi.json',
    };
  },
});
