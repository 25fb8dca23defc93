export const roles = ['admin', 'manager', 'payroll', 'finance', 'auditor', 'rep'] as const;
export type Role = (typeof roles)[number];
/** Roles that read the pay of everyone, without a place in the order of roles. */
export type RoleOutsideOrder = 'payroll' | 'finance' | 'auditor';

/**
 * What a token permits. A connection token has no person and reads a few resources only; without a token only public
 * operations are available.
 */
export type AccessLevel = Role | 'connection' | 'public';

/** Payroll, finance and auditor are not part of the order: they permit what is declared for them and public operations. */
const ranks: Readonly<Record<AccessLevel, number>> = {
  public: -1,
  payroll: -1,
  finance: -1,
  auditor: -1,
  connection: 0,
  rep: 1,
  manager: 2,
  admin: 3,
};

/** What an integration key may permit: all reads, or changes of one area. */
export const keyScopes = ['read', 'deals', 'plans', 'payroll', 'scim'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** What an agent may do that a person has connected: read, or also change. */
export const agentScopes = ['read', 'write'] as const;
export type AgentScope = (typeof agentScopes)[number];

/** The agent that a person has connected over OAuth. It has the rights of the person within its scopes. */
export interface ConnectedAgent {
  readonly connectionId: string;
  readonly clientName: string;
  /** The MCP endpoint for which its tokens are valid. */
  readonly audience: string;
  readonly scopes: readonly AgentScope[];
}

/** The caller of an operation. Always within one workspace, except before sign-in. */
export interface Caller {
  readonly workspaceId: string;
  readonly accessLevel: AccessLevel;
  /** The rep behind a session; null for workspace keys, connection tokens and the service itself. */
  readonly repId: string | null;
  /** The person who created or rotated the key that was sent; absent for sessions and keys of the command line. */
  readonly keyCreatorId?: string;
  /** The scopes of an integration key; absent where scopes restrict nothing. */
  readonly scopes?: ReadonlySet<KeyScope>;
  /** Set for an integration key of an agent: it changes nothing except at the MCP endpoint. */
  readonly isAgentKey?: true;
  /** The actor in the audit log: `api-key`, `key:<id>`, `rep:<id>`, `rep:<id> via <client>`, `connection`, `orchestrator`. */
  readonly actor: string;
  readonly requestId: string;
  /** Whom a manager of a workspace with `managerScope: reports` may see: themself and the people below. */
  readonly team?: ReadonlySet<string>;
  /** The token that was sent; absent for the service itself. */
  readonly tokenId?: string;
  readonly tokenKind?: 'ws' | 'sess' | 'conn' | 'int' | 'agt';
  /** Who approved the change that an agent has requested; absent for calls that needed no approval. */
  readonly approvedBy?: string;
  /** The agent that acts for the person; absent where none does. */
  readonly agent?: ConnectedAgent;
  /** The network address of the request, for limits on attempts; absent for the service itself. */
  readonly address?: string;
  /** Set for files that another system writes: roles, activity and payroll ids of people stay as they are. */
  readonly mayChangeRights?: false;
  /** Aborted when the client has left before the response. */
  readonly left?: AbortSignal;
  /** The random value of the cookie that binds a started sign-in to its browser. */
  readonly browserKey?: string;
}

/** The person responsible for the request: of the session, or who created the key; null for keys of the command line. */
export function personBehind({ repId, keyCreatorId }: Caller): string | null {
  return repId ?? keyCreatorId ?? null;
}

/** Everyone responsible for the request: the person behind it, and who approved the change of an agent. */
export function peopleBehind(caller: Caller): readonly string[] {
  return [personBehind(caller), caller.approvedBy ?? null].filter((repId) => repId !== null);
}

export function mayActAs(caller: Pick<Caller, 'accessLevel'>, required: AccessLevel): boolean {
  return ranks[caller.accessLevel] >= ranks[required];
}

/** Whether the role reads the pay of everyone, without a place in the order of roles. */
export function readsEveryone(accessLevel: AccessLevel): boolean {
  return accessLevel === 'payroll' || accessLevel === 'finance' || accessLevel === 'auditor';
}

/** Whether the caller sees other people than themself. */
export function seesTeam({ accessLevel }: Caller): boolean {
  return accessLevel === 'admin' || accessLevel === 'manager' || readsEveryone(accessLevel);
}

/** Whether the caller reads what admins read. */
export function readsAsAdmin({ accessLevel }: Caller): boolean {
  return accessLevel === 'admin' || accessLevel === 'auditor';
}

/** Whether the caller may see what belongs to the rep. */
export function maySee(caller: Caller, repId: string): boolean {
  if (!seesTeam(caller)) return caller.repId === repId;
  return caller.team === undefined || caller.team.has(repId);
}

/** The reps whom the caller may see; null for everyone. */
export function visibleReps(caller: Caller): readonly string[] | null {
  if (!seesTeam(caller)) return caller.repId === null ? [] : [caller.repId];
  return caller.team === undefined ? null : [...caller.team];
}

/** The only one of the reps: what a response about them depends on. Null for several and for everyone. */
export function onlyRep(repIds: readonly string[] | null): string | null {
  return repIds?.length === 1 ? (repIds[0] ?? null) : null;
}

/** A caller without a token. Their workspace does not exist, so row-level security shows no rows. */
export function anonymousCaller(requestId: string, address: string): Caller {
  return { workspaceId: noWorkspace, accessLevel: 'public', repId: null, actor: 'anonymous', requestId, address };
}

const noWorkspace = '00000000-0000-0000-0000-000000000000';

/** The service itself within a workspace, as used by workers and the command line. */
export function serviceCaller(workspaceId: string, requestId: string): Caller {
  return { workspaceId, accessLevel: 'admin', repId: null, actor: 'orchestrator', requestId };
}
