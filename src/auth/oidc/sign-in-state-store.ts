import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type TransactionWithoutWorkspace } from '../../platform/database/unit-of-work.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type Secrecy } from './identity-provider.js';

/** Stores the data of a state for ten minutes. */
export async function storeState(
  tx: TransactionWithoutWorkspace,
  secrets: Secrets,
  state: string,
  workspaceId: string | null,
  { nonce, verifier }: Secrecy,
  browserKey: string,
): Promise<void> {
  const hash = hashOf(state);
  const sealed = secrets.seal(placeOf(hash), JSON.stringify({ nonce, verifier, browserKey }));
  await sql`select store_sign_in_state(${hash}, ${workspaceId}, ${sealed})`.execute(tx.db);
}

interface StoredState {
  readonly workspaceId: string | null;
  readonly secrecy: Secrecy;
  /** The cookie of the browser that started the sign-in. */
  readonly browserKey: string;
}

/** Returns the data of the state and deletes it, also if the sign-in fails afterwards. */
export async function takeState(
  tx: TransactionWithoutWorkspace,
  secrets: Secrets,
  state: string,
): Promise<StoredState | null> {
  const hash = hashOf(state);
  const { rows } = await sql<{ workspace_id: string | null; secrets: Buffer }>`
    select workspace_id, secrets from take_sign_in_state(${hash})`.execute(tx.db);
  const row = rows[0];
  if (row === undefined) return null;
  const { browserKey, ...secrecy } = JSON.parse(secrets.open(placeOf(hash), row.secrets)) as Secrecy & {
    browserKey: string;
  };
  return { workspaceId: row.workspace_id, secrecy, browserKey };
}

function hashOf(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}

function placeOf(hash: Buffer): string {
  return `sign_in_states ${hash.toString('hex')}`;
}
