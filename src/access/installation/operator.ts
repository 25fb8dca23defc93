import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** Whether the admins of the workspace operate the installation. */
export async function isOperator(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ isOperator: boolean }>`select is_operator() as "isOperator"`.execute(tx.db);
  return rows[0]?.isOperator === true;
}

/** Rejects keys and the admins of other workspaces: mails and identity providers sign people in to every workspace. */
export async function assertOperator(tx: Transaction, { tokenKind }: Caller): Promise<void> {
  if (tokenKind === 'sess' && (await isOperator(tx))) return;
  throw notOperator();
}

function notOperator(): Failure {
  return new Failure(
    'not_operator',
    'Only a signed-in admin of the workspace that operates the installation can do this. The person who runs the service names it with: npx commissions workspace operator',
  );
}

/** The failure of a change of what variables of the environment set. */
export function setByEnvironment(what: string, variables: string): Failure {
  return new Failure(
    'set_by_environment',
    `The environment sets ${what} (${variables}), so it cannot be changed here.`,
  );
}
