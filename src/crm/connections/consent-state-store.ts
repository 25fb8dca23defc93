import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type TransactionWithoutWorkspace } from '../../platform/database/unit-of-work.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type CrmCredentials, type CrmProvider } from '../adapters/port.js';

/** The session and the browser in which an admin started a consent. */
export interface Started {
  readonly workspaceId: string;
  readonly sessionId: string;
  /** The state cookie of the browser holds this value. */
  readonly browserKey: string;
}

/** A started consent and its secrets, known only to this service. */
interface Consent extends Started {
  readonly codeVerifier: string;
  readonly loginUrl: string | null;
}

/** Credentials that the admin has not confirmed yet. */
interface Grant extends Started {
  readonly credentials: CrmCredentials;
}

interface Stored {
  readonly consent: Consent;
  readonly grant: Grant;
}

/** Stores the data for ten minutes, beside the states of sign-ins, and returns the random key. */
export async function storeConsent<Kind extends keyof Stored>(
  tx: TransactionWithoutWorkspace,
  secrets: Secrets,
  kind: Kind,
  provider: CrmProvider,
  data: Stored[Kind],
): Promise<string> {
  const key = newKey();
  const hash = hashKey(key);
  const sealed = secrets.seal(consentEncryptionContext(kind, provider, hash), JSON.stringify(data));
  await sql`select store_sign_in_state(${hash}, ${data.workspaceId}, ${sealed})`.execute(tx.db);
  return key;
}

/** Returns the data of the key once; null if it is unknown, expired or of another kind. */
export async function consumeConsent<Kind extends keyof Stored>(
  tx: TransactionWithoutWorkspace,
  secrets: Secrets,
  kind: Kind,
  provider: CrmProvider,
  key: string,
): Promise<Stored[Kind] | null> {
  const hash = hashKey(key);
  const { rows } = await sql<{ secrets: Buffer }>`select secrets from take_sign_in_state(${hash})`.execute(tx.db);
  const sealed = rows[0]?.secrets;
  if (sealed === undefined) return null;
  try {
    return JSON.parse(secrets.open(consentEncryptionContext(kind, provider, hash), sealed)) as Stored[Kind];
  } catch {
    // A state of a sign-in or of another CRM is sealed with another encryption context.
    return null;
  }
}

export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function consentEncryptionContext(kind: keyof Stored, provider: CrmProvider, hash: Buffer): string {
  return `${kind} of ${provider} ${hash.toString('hex')}`;
}
