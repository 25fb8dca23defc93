import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, agentScopes as scopeNames } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';

/** A person may have connected at most this many agents. */
export const maxAgents = 50;

export const agentScopes = z
  .array(z.enum(scopeNames))
  .describe('What the agent may do: read, or also write, each within the rights of the person');

/** An agent that a person has connected by signing in. */
export const agentConnection = z
  .object({
    id: z.string().describe('Id of the connected agent (UUID)'),
    repId: z.string().describe('The person for whom the agent acts (UUID)'),
    personName: z.string().describe('Name of the person for whom the agent acts'),
    clientName: z.string().describe('Name that the client program gives itself; anyone can choose any name'),
    clientAddress: z
      .string()
      .nullable()
      .describe('Host that publishes the metadata of the client; null for clients without such a document'),
    scopes: agentScopes,
    createdAt: fields.createdAt,
    lastUsedAt: z
      .string()
      .nullable()
      .describe('When the agent last called or refreshed its tokens, instant in ISO 8601; null for never'),
  })
  .describe('An agent that a person has connected by signing in');
export type AgentConnection = z.input<typeof agentConnection>;

/** The host of a client whose id is the URL of its metadata document; null for other clients. */
export function readClientHost(clientId: string): string | null {
  return /^https?:\/\//.test(clientId) ? new URL(clientId).host : null;
}

/** The person who is signed in. A key has no person, and an agent must not connect others. */
export function requirePerson({ repId, tokenKind }: Caller): string {
  if (repId === null || tokenKind !== 'sess')
    throw new Failure('no_person', 'Only a person who is signed in can connect an agent.');
  return repId;
}

export function requestExpired(): Failure {
  return new Failure(
    'agent_request_expired',
    'The request is not valid or no longer valid. Connect again from the program of the agent.',
  );
}

export const agentExample: AgentConnection = {
  id: '6f708192-ad9b-4c3e-8f52-6d7e8f900112',
  repId: sampleIds.managerId,
  personName: 'Mia',
  clientName: 'Claude',
  clientAddress: 'claude.ai',
  scopes: ['read', 'write'],
  createdAt: '2026-02-11T08:30:00.000Z',
  lastUsedAt: '2026-03-02T16:05:00.000Z',
};
