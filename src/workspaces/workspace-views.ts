import { sql } from 'kysely';
import { type z } from 'zod';
import { type Work } from '../platform/database/unit-of-work.js';
import { keyMask, type maskedKey } from './workspace.js';

export type WorkspaceRow = Awaited<ReturnType<typeof findWorkspace>>;

export async function findWorkspace(trx: Work, workspaceId: string) {
  return trx
    .selectFrom('workspaces')
    .select([
      'workspace_id as workspaceId',
      'name',
      'currency',
      'timezone',
      'tier',
      'is_demo as isDemo',
      'field_mapping as fieldMapping',
      'paper',
      'payroll',
      'manager_scope as managerScope',
      'block_approval_on_dispute as blockApprovalOnDispute',
      'agent_writes as agentWrites',
      'step_up_minutes as stepUpMinutes',
    ])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
}

/** The state of the workspace's mails, given a mail server. */
export async function findMailState(trx: Work): Promise<'working' | 'failing'> {
  const { rows } = await sql<{ wasSent: boolean | null }>`select was_last_mail_sent() as "wasSent"`.execute(trx);
  return rows[0]?.wasSent === false ? 'failing' : 'working';
}

/** Whether the workspace has a valid key, masked. */
export async function findMaskedKey(trx: Work, workspaceId: string): Promise<z.input<typeof maskedKey>> {
  const key = await trx
    .selectFrom('tokens')
    .select('token_id')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'ws')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
  return { masked: key === undefined ? null : keyMask, isSet: key !== undefined };
}
