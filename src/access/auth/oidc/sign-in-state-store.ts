import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type TransactionWithoutWorkspace } from '../../../platform/database/unit-of-work.js';
import { type Secrets } from '../../../platform/secrets/secrets.js';
import { type FlowSecrets } from './identity-provider.js';

/** Stores the data of a state for ten minutes. */
export async function storeState(
  tx: TransactionWithoutWorkspace,
  secrets: Secrets,
  state: string,
  workspaceId: string | null,
  { nonce, verifier }: FlowSecrets,
  browserKey: string,
  providerId: string | null,
): Promise<void> {
  const hash = hashState(state);
  const sealed = secrets.seal(
    stateEncryptionContext(hash),
    JSON.stringify({ nonce, verifier, browserKey, providerId }),
  );
  await sql`select store_sign_in_state(${hash}, ${workspaceId}, ${sealed})`.execute(tx.db);
}

interface StoredState {
  readonly workspaceId: string | null;
  readonly flowSecrets: FlowSecrets;
  /** The cookie of the browser that started the sign-in. */
  readonly browserKey: string;
  /** Null for the provider of the environment. */
  readonly providerId: string | null;
}

/** Returns the data of the state and deletes it, also if the sign-in fails afterwards. */
export async function consumeState(
  tx: TransactionWithoutWorkspace,
  secrets: Secrets,
  state: string,
): Promise<StoredState | null> {
  const hash = hashState(state);
  const { rows } = await sql<{ workspace_id: string | null; secrets: Buffer }>`
    select workspace_id, secrets from take_sign_in_state(${hash})`.execute(tx.db);
  const row = rows[0];
  if (row === undefined) return null;
  const { browserKey, providerId, ...flowSecrets } = JSON.parse(
    secrets.open(stateEncryptionContext(hash), row.secrets),
  ) as FlowSecrets & Pick<StoredState, 'browserKey' | 'providerId'>;
  return { workspaceId: row.workspace_id, flowSecrets, browserKey, providerId };
}

function hashState(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}

function stateEncryptionContext(hash: Buffer): string {
  return `sign_in_states ${hash.toString('hex')}`;
}
