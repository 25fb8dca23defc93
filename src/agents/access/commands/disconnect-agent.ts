import { z } from 'zod';
import { mayActAs } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../../platform/operations/schemas.js';
import { agentExample } from '../agent-connection.js';
import { deleteConnection } from '../agent-connection-store.js';

const params = z.strictObject({ agentId: pathId.describe('Id of the connected agent (UUID)') });
const unknown = 'There is no such connected agent, or it belongs to another person.';

export const disconnectAgent = operation({
  id: 'disconnectAgent',
  summary: 'Disconnect an agent: its tokens stop working at once. Admins may disconnect those of everyone',
  method: 'delete',
  path: '/v1/agents/:agentId',
  access: 'rep',
  payroll: true,
  finance: true,
  params,
  response: z.object({
    disconnected: z.boolean().describe('Always true: an unknown agent gets status 404'),
    id: z.string().describe('Id of the agent (UUID)'),
  }),
  failures: {},
  example: { params: { agentId: agentExample.id }, response: { disconnected: true, id: agentExample.id } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { agentId } }, caller, { unitOfWork }) {
    const id = requireUuid(agentId, 'not_found', unknown);
    const disconnected = await unitOfWork.write(caller, (tx) =>
      deleteConnection(tx, caller, id, mayActAs(caller, 'admin') ? null : caller.repId),
    );
    if (!disconnected) throw new Failure('not_found', unknown);
    return { disconnected, id };
  },
});
