import { z } from 'zod';
import { readsAsAdmin } from '../../../kernel/caller.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { agentConnection, agentExample } from '../agent-connection.js';
import { listConnections } from '../agent-connection-views.js';

export const listAgents = operation({
  id: 'listAgents',
  summary: 'The agents that people have connected by signing in, newest first: all for admins, otherwise your own',
  method: 'get',
  path: '/v1/agents',
  access: 'rep',
  payroll: true,
  response: z.object({ agents: z.array(agentConnection).describe('The connected agents') }),
  failures: {},
  example: { response: { agents: [agentExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    const repId = readsAsAdmin(caller) ? null : caller.repId;
    return {
      agents: await unitOfWork.read(caller, (tx) => listConnections(tx, repId)),
    };
  },
});
