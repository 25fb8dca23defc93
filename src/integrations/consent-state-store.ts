import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type CrmProvider } from '../crm/port.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Secrets } from '../platform/secrets/secrets.js';

/** A started consent and its secrets, known only to this service. */
export interface Consent {
  readonly workspaceId: string;
  readonly actor: string;
  readonly repId: string | null;
  readonly provider: CrmProvider;
  readonly codeVerifier: string;
}

/** Stored for ten minutes, beside the states of sign-ins. */
export async function storeConsent(trx: Work, secrets: Secrets, state: string, consent: Consent): Promise<void> {
  const hash = hashOf(state);
  const sealed = secrets.seal(placeOf(consent.provider, hash), JSON.stringify(consent));
  await sql`select store_sign_in_state(${hash}, ${consent.workspaceId}, ${sealed})`.execute(trx);
}

/** Returns the data of the state once; null if it is unknown, expired or of another kind. */
export async function takeConsent(
  trx: Work,
  secrets: Secrets,
  provider: CrmProvider,
  state: string,
): Promise<Consent | null> {
  const hash = hashOf(state);
  const { rows } = await sql<{ secrets: Buffer }>`select secrets from take_sign_in_state(${hash})`.execute(trx);
  const sealed = rows[0]?.secrets;
  if (sealed === undefined) return null;
  try {
    return JSON.parse(secrets.open(placeOf(provider, hash), sealed)) as Consent;
  } catch {
    // A state of a sign-in or of another CRM is encrypted with another key.
    return null;
  }
}

function hashOf(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}

function placeOf(provider: CrmProvider, hash: Buffer): string {
  return `consent to ${provider} ${hash.toString('hex')}`;
}
