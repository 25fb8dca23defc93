export const roles = ['admin', 'manager', 'rep'] as const;
export type Role = (typeof roles)[number];

/**
 * What a token may be at most: a connection token has no person and reads a few things only. Who shows no token at
 * all may do what is public: sign in.
 */
export type Standing = Role | 'connection' | 'public';

const ranks: Readonly<Record<Standing, number>> = { public: -1, connection: 0, rep: 1, manager: 2, admin: 3 };

/** Who asks: always within one workspace, but for those who have yet to sign in. */
export interface Caller {
  readonly workspaceId: string;
  readonly standing: Standing;
  /** The rep behind a session; null for workspace keys, connection tokens and the service itself. */
  readonly repId: string | null;
  /** Who did it, as the audit log names it: `api-key`, `rep:<id>`, `connection`, `orchestrator`. */
  readonly actor: string;
  readonly requestId: string;
  /** The token shown; absent for the service itself. */
  readonly tokenId?: string;
  readonly tokenKind?: 'ws' | 'sess' | 'conn';
  /** Where the request came from, for limits on those who have no token. */
  readonly address?: string;
}

export function mayActAs(caller: Caller, least: Standing): boolean {
  return ranks[caller.standing] >= ranks[least];
}

/** Whether the caller may see what belongs to the rep: managers and admins see everyone, a rep only themself. */
export function maySee(caller: Caller, repId: string): boolean {
  return mayActAs(caller, 'manager') || caller.repId === repId;
}

/** Somebody without a token. Their workspace is none, so row-level security shows them nothing. */
export function anonymousCaller(requestId: string, address: string): Caller {
  return { workspaceId: noWorkspace, standing: 'public', repId: null, actor: 'anonymous', requestId, address };
}

const noWorkspace = '00000000-0000-0000-0000-000000000000';

/** The service acting for itself within a workspace, as workers and the command line do. */
export function serviceCaller(workspaceId: string, requestId: string): Caller {
  return { workspaceId, standing: 'admin', repId: null, actor: 'orchestrator', requestId };
}
