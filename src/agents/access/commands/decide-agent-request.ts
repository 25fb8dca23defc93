import { z } from 'zod';
import { agentScopes as scopeNames } from '../../../kernel/caller.js';
import { Failure, invalid } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { agentIssuer } from '../agent-authorization.js';
import { maxAgents, requestExpired, requirePerson } from '../agent-connection.js';
import { insertConnection } from '../agent-connection-store.js';
import { countConnections } from '../agent-connection-views.js';
import { openRequest, returnUrl } from '../authorization-requests.js';

const body = z.strictObject({
  request: z.string().min(1).max(10_000).describe('The request in the address of the consent page'),
  decision: z.enum(['allow', 'deny']).describe('What the person has decided'),
  scopes: z
    .array(z.enum(scopeNames))
    .min(1)
    .max(2)
    .transform((scopes) => scopeNames.filter((scope) => scope === 'read' || scopes.includes(scope)))
    .optional()
    .describe('The scopes to permit, at most those of the request; all of the request by default'),
});

export const decideAgentRequest = operation({
  id: 'decideAgentRequest',
  summary: 'Permit or deny what an agent asks for; the agent then acts with your rights, within its scopes',
  method: 'post',
  path: '/v1/agents/request',
  access: 'rep',
  payroll: true,
  finance: true,
  // A connected agent acts with the rights of the person, like a key.
  stepUp: ({ body: { decision } }) => decision === 'allow',
  scope: null,
  body,
  response: z.object({
    redirectTo: z.string().describe('Address to open: it returns the result to the program of the agent'),
  }),
  secret: true,
  failures: { no_person: 409, agent_request_expired: 410, too_many_agents: 409 },
  example: {
    body: { request: 'AgAAAA…', decision: 'allow', scopes: ['read'] },
    response: { redirectTo: 'https://claude.ai/api/mcp/auth_callback?code=agc_…' },
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, config: CONFIG },
  async execute({ body: { request, decision, scopes } }, caller, { unitOfWork, secrets, config }) {
    const repId = requirePerson(caller);
    const issuer = agentIssuer(config);
    const pending = openRequest(secrets, request);
    if (pending === null || issuer === null) throw requestExpired();
    if (decision === 'deny') return { redirectTo: returnUrl(pending, issuer, { error: 'access_denied' }) };
    const permitted = scopes ?? pending.scopes;
    if (!permitted.every((scope) => pending.scopes.includes(scope)))
      throw invalid({ path: 'scopes', message: 'must be scopes of the request' });
    const code = await unitOfWork.write(caller, async (tx) => {
      if ((await countConnections(tx, repId)) >= maxAgents)
        throw new Failure('too_many_agents', `You have connected ${maxAgents} agents. Disconnect one first.`);
      return insertConnection(tx, caller, { ...pending, repId, scopes: permitted });
    });
    return { redirectTo: returnUrl(pending, issuer, { code }) };
  },
});
