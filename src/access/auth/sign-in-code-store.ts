import { sql } from 'kysely';
import { type TransactionWithoutWorkspace } from '../../platform/database/unit-of-work.js';
import { type SealedMail } from '../../platform/mail/outbox.js';
import { type StoredCode } from './sign-in-code.js';

interface NewCode extends StoredCode {
  readonly email: string;
  readonly emailHash: Buffer;
  readonly networkHash: Buffer;
  readonly workspaceId: string | null;
  readonly mail: SealedMail & { readonly subject: string };
}

/**
 * Stores the code, invalidates earlier ones of the same network and queues the e-mail. For an unknown address it does
 * the same work and sends nothing, also when the address has reached its hourly or daily limit.
 */
export async function issueCode(tx: TransactionWithoutWorkspace, code: NewCode): Promise<void> {
  await sql`
    select issue_sign_in_code(${code.email}, ${code.emailHash}, ${code.networkHash}, ${code.workspaceId}, ${code.codeId},
      ${code.salt}, ${code.hmac}, ${code.mail.mailId}, ${code.mail.subject}, ${code.mail.body})`.execute(tx.db);
}

export interface TriedCode extends StoredCode {
  readonly workspaceId: string | null;
}

/** Where an attempt comes from, and the code that its nonce names. */
export interface Attempt {
  readonly emailHash: Buffer;
  readonly networkHash: Buffer;
  /** Null without a nonce. */
  readonly codeId: string | null;
}

/**
 * Counts an attempt and returns the code only if an attempt was left. Attempts with its nonce, from its network and from
 * other networks are counted separately.
 */
export async function tryCode(
  tx: TransactionWithoutWorkspace,
  { emailHash, networkHash, codeId }: Attempt,
): Promise<TriedCode | null> {
  const { rows } = await sql<TriedCode>`
    select code_id as "codeId", salt, code_hmac as hmac, workspace_id as "workspaceId"
    from try_sign_in_code(${emailHash}, ${networkHash}, ${codeId})`.execute(tx.db);
  return rows[0] ?? null;
}

/** Returns the attempt: a correct code that lacked its workspace costs none. */
export async function returnTry(
  tx: TransactionWithoutWorkspace,
  codeId: string,
  { codeId: byNonce, networkHash }: Pick<Attempt, 'codeId' | 'networkHash'>,
): Promise<void> {
  await sql`select return_sign_in_try(${codeId}, ${byNonce !== null}, ${networkHash})`.execute(tx.db);
}

/** Consumes the code; false if it was already used or expired. */
export async function useCode({ db }: Pick<TransactionWithoutWorkspace, 'db'>, codeId: string): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`select use_sign_in_code(${codeId}) as used`.execute(db);
  return rows[0]?.used === true;
}
