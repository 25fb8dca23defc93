import { sql } from 'kysely';
import { type z } from 'zod';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { findMailServer, type MailServer } from '../../platform/mail/mail-server.js';
import { callbackPath, type KnownProvider } from '../auth/oidc/provider-terms.js';
import { type identityProvider, type mailServer, type mailsOfInstallation } from './installation.js';

/** The mail server in force; null if there is none. */
export async function describeMailServer(
  tx: Transaction,
  { isOfEnvironment }: MailServer,
): Promise<z.output<typeof mailServer> | null> {
  if (isOfEnvironment) return { source: 'environment', settings: null };
  const stored = await findMailServer(tx);
  return stored === null
    ? null
    : { source: 'app', settings: { ...stored.settings, hasPassword: stored.password !== null } };
}

/** Counts of the mails of all workspaces. Only the operator's workspace gets a row. */
export async function countMails(tx: Transaction): Promise<z.output<typeof mailsOfInstallation> | null> {
  const { rows } = await sql<{ waiting: string; held: string; last_sent_at: Date | null; last_error: string | null }>`
    select * from mails_of_installation()`.execute(tx.db);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    waiting: Number(row.waiting),
    notSent: Number(row.held),
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
    lastError: row.last_error,
  };
}

export function describeProvider({
  clientSecret: _secret,
  ...terms
}: KnownProvider): z.output<typeof identityProvider> {
  return {
    ...terms,
    source: terms.id === null ? 'environment' : 'app',
    callbackUrl: `${terms.publicUrl}${callbackPath}`,
  };
}
