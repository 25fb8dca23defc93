import { z } from 'zod';
import { isOnThisMachine } from '../../../platform/mcp/agent-client.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import {
  agentConnection,
  agentExample,
  agentScopes,
  readClientHost,
  requestExpired,
  requirePerson,
} from '../agent-connection.js';
import { openRequest } from '../authorization-requests.js';

const query = z.strictObject({
  request: z.string().min(1).max(10_000).describe('The request in the address of the consent page'),
});

export const getAgentRequest = operation({
  id: 'getAgentRequest',
  summary: 'What an agent asks the person who is signed in to permit',
  method: 'get',
  path: '/v1/agents/request',
  access: 'rep',
  payroll: true,
  scope: null,
  query,
  response: z.object({
    clientName: agentConnection.shape.clientName,
    clientAddress: agentConnection.shape.clientAddress,
    returnsTo: z.string().describe('Host or scheme to which the browser returns with the result'),
    isOnThisMachine: z.boolean().describe('Whether the browser returns to a program on its own machine'),
    scopes: agentScopes,
    expiresAt: z.string().describe('Until when the request can be decided, instant in ISO 8601'),
  }),
  failures: { no_person: 409, agent_request_expired: 410 },
  example: {
    query: { request: 'AgAAAA…' },
    response: {
      clientName: agentExample.clientName,
      clientAddress: agentExample.clientAddress,
      returnsTo: 'claude.ai',
      isOnThisMachine: false,
      scopes: agentExample.scopes,
      expiresAt: '2026-02-11T08:40:00.000Z',
    },
  },
  uses: { secrets: Secrets },
  async execute({ query: { request } }, caller, { secrets }) {
    requirePerson(caller);
    const pending = openRequest(secrets, request);
    if (pending === null) throw requestExpired();
    const { clientId, clientName, redirectUri, scopes, expiresAt } = pending;
    const { host, protocol } = new URL(redirectUri);
    return {
      clientName,
      clientAddress: readClientHost(clientId),
      returnsTo: /^https?:$/.test(protocol) ? host : protocol,
      isOnThisMachine: isOnThisMachine(redirectUri),
      scopes,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  },
});
