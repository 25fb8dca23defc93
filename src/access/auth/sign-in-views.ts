import { sql } from 'kysely';
import { type TransactionWithoutWorkspace } from '../../platform/database/unit-of-work.js';
import { type SignIn } from './sign-in.js';

/** Active people with that address, in the given workspace or in all. */
export async function findSignIns(
  tx: TransactionWithoutWorkspace,
  email: string,
  workspaceId: string | null,
): Promise<SignIn[]> {
  const { rows } = await sql<SignIn>`
    select workspace_id as "workspaceId", workspace_name as "workspaceName", rep_id as "repId"
    from find_sign_ins(${email}, ${workspaceId})`.execute(tx.db);
  return rows;
}
