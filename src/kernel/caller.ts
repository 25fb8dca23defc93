export const roles = ['admin', 'manager', 'rep'] as const;
export type Role = (typeof roles)[number];

/** What a token may be at most: a connection token has no person and reads a few things only. */
export type Standing = Role | 'connection';

const ranks: Readonly<Record<Standing, number>> = { connection: 0, rep: 1, manager: 2, admin: 3 };

/** Who asks: always within one workspace. */
export interface Caller {
  readonly workspaceId: string;
  readonly standing: Standing;
  /** The rep behind a session; null for workspace keys, connection tokens and the service itself. */
  readonly repId: string | null;
  /** Who did it, as the audit log names it: `api-key`, `rep:<id>`, `connection`, `orchestrator`. */
  readonly actor: string;
  readonly requestId: string;
}

export function mayActAs(caller: Caller, least: Standing): boolean {
  return ranks[caller.standing] >= ranks[least];
}

/** Whether the caller may see what belongs to the rep: managers and admins see everyone, a rep only themself. */
export function maySee(caller: Caller, repId: string): boolean {
  return mayActAs(caller, 'manager') || caller.repId === repId;
}

/** The service acting for itself within a workspace, as workers and the command line do. */
export function serviceCaller(workspaceId: string, requestId: string): Caller {
  return { workspaceId, standing: 'admin', repId: null, actor: 'orchestrator', requestId };
}
