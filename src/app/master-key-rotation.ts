import { sql } from 'kysely';
import { providerEncryptionContext } from '../access/auth/oidc/provider-terms.js';
import { credentialsEncryptionContext } from '../crm/connections/crm-accounts.js';
import { mapInParallel } from '../kernel/waiting.js';
import { secretEncryptionContext } from '../outgoing/events/webhook-endpoint.js';
import { type Database } from '../platform/database/pool.js';
import { routeEncryptionContext } from '../platform/inbox/inbox.js';
import { mailPasswordEncryptionContext } from '../platform/mail/mail-settings.js';
import { mailEncryptionContext } from '../platform/mail/outbox.js';
import { type Secrets } from '../platform/secrets/secrets.js';
import { credentialsContext } from '../scheduled-imports/credentials.js';

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
  encryptionContext(...key: readonly string[]): string;
}

/** Every column that holds sealed texts for longer than minutes. */
const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'crm_connections',
    column: 'credentials',
    key: ['workspace_id', 'provider'],
    encryptionContext: (workspaceId = '', provider = '') => credentialsEncryptionContext(workspaceId, provider),
  },
  {
    table: 'inbound_routes',
    column: 'secret',
    key: ['workspace_id', 'source', 'route'],
    encryptionContext: (_workspaceId, source = '', route = '') => routeEncryptionContext(source, route),
  },
  {
    table: 'webhook_endpoints',
    column: 'secret',
    key: ['endpoint_id'],
    encryptionContext: (endpointId = '') => secretEncryptionContext(endpointId),
  },
  {
    table: 'webhook_previous_secrets',
    column: 'secret',
    key: ['endpoint_id'],
    encryptionContext: (endpointId = '') => secretEncryptionContext(endpointId),
  },
  {
    table: 'scheduled_imports',
    column: 'secret',
    key: ['scheduled_import_id'],
    encryptionContext: (scheduledImportId = '') => credentialsContext(scheduledImportId),
  },
  {
    table: 'mail_outbox',
    column: 'body',
    key: ['mail_id'],
    encryptionContext: (mailId = '') => mailEncryptionContext(mailId),
  },
  {
    table: 'installation',
    column: 'mail_password',
    key: ['singleton'],
    encryptionContext: () => mailPasswordEncryptionContext,
  },
  {
    table: 'identity_providers',
    column: 'client_secret',
    key: ['provider_id'],
    encryptionContext: (providerId = '') => providerEncryptionContext(providerId),
  },
];

interface RotationResult {
  readonly reencrypted: number;
  /** Texts that still need a previous key: unreadable ones, and states of sign-ins, which expire in ten minutes. */
  readonly remaining: number;
}

const batchSize = 200;

/**
 * Encrypts every stored text with the present master key. It may be interrupted and run again: texts whose header is
 * the present one are done. Processes may change the same rows at the same time, since a row is only updated if it
 * still holds the text that was read.
 */
export async function reencryptSecrets(owner: Database, secrets: Secrets): Promise<RotationResult> {
  let reencrypted = 0;
  for (const column of sealedColumns) reencrypted += await reencryptColumn(owner, secrets, column);
  const stored = [...sealedColumns, { table: 'sign_in_states', column: 'secrets' }];
  const counts = await mapInParallel(stored, (column) => countPrevious(owner, secrets, column));
  return { reencrypted, remaining: counts.reduce((sum, count) => sum + count, 0) };
}

async function reencryptColumn(owner: Database, secrets: Secrets, target: SealedColumn): Promise<number> {
  const { table, column, key, encryptionContext } = target;
  let [done, left] = [0, 0];
  for (;;) {
    const { rows } = await sql<{ key: string[]; sealed: Buffer }>`
      select array[${sql.join(key.map((name) => sql`${sql.ref(name)}::text`))}] as key, ${sql.ref(column)} as sealed
      from ${sql.table(table)} where ${isPrevious(secrets, column)}
      order by ${sql.join(key.map((name) => sql.ref(name)))} limit ${batchSize} offset ${left}`.execute(owner);
    for (const row of rows) {
      if (await reencryptRow(owner, secrets, target, row.sealed, encryptionContext(...row.key))) done += 1;
      else left += 1;
    }
    if (rows.length < batchSize) return done;
  }
}

interface OpenedSamples {
  /** Tables with a text that a configured key opens. */
  readonly opened: readonly string[];
  /** Tables with a text that no configured key opens. */
  readonly unreadable: readonly string[];
}

const samplesPerColumn = 20;

/** Tries to open some stored texts of every kind. */
export async function openSamples(owner: Database, secrets: Secrets): Promise<OpenedSamples> {
  const opened: string[] = [];
  const unreadable: string[] = [];
  for (const { table, column, key, encryptionContext } of sealedColumns) {
    const { rows } = await sql<{ key: string[]; sealed: Buffer }>`
      select array[${sql.join(key.map((name) => sql`${sql.ref(name)}::text`))}] as key, ${sql.ref(column)} as sealed
      from ${sql.table(table)} where ${sql.ref(column)} is not null
      order by ${sql.join(key.map((name) => sql`${sql.ref(name)} desc`))} limit ${samplesPerColumn}`.execute(owner);
    const texts = rows.map((row) => openOrNull(secrets, encryptionContext(...row.key), row.sealed));
    if (texts.includes(null)) unreadable.push(table);
    else if (texts.length > 0) opened.push(table);
  }
  return { opened, unreadable };
}

/** Null if no configured key opens the text. */
function openOrNull(secrets: Secrets, context: string, sealed: Buffer): string | null {
  try {
    return secrets.open(context, sealed);
  } catch {
    return null;
  }
}

/** False if no configured key opens the text, or if the row has changed. */
async function reencryptRow(
  owner: Database,
  secrets: Secrets,
  { table, column }: SealedColumn,
  sealed: Buffer,
  context: string,
): Promise<boolean> {
  const text = openOrNull(secrets, context, sealed);
  if (text === null) return false;
  // The random nonce makes the sealed text unique, so it identifies its row.
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${secrets.seal(context, text)}
    where ${sql.ref(column)} = ${sealed}`.execute(owner);
  return numAffectedRows === 1n;
}

async function countPrevious(
  owner: Database,
  secrets: Secrets,
  { table, column }: Pick<SealedColumn, 'table' | 'column'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where ${isPrevious(secrets, column)}`.execute(owner);
  return rows[0]?.count ?? 0;
}

function isPrevious({ header }: Secrets, column: string) {
  return sql`substr(${sql.ref(column)}, 1, ${header.length}) <> ${header}`;
}
