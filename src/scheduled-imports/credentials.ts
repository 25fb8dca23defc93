import { z } from 'zod';
import { invalid } from '../kernel/failure.js';
import { text } from '../platform/operations/schemas.js';
import { type Secrets } from '../platform/secrets/secrets.js';
import { type SourceAddress } from './scheduled-import.js';

/** What proves to the source that the service may read. The address says which of them apply. */
export const credentials = z
  .strictObject({
    authorization: text(4000).optional().describe('Of a URL: the value of the header Authorization, such as Bearer …'),
    accessKeyId: text(200).optional().describe('Of an S3-compatible store: id of the access key'),
    secretAccessKey: text(500).optional().describe('Of an S3-compatible store: the secret access key'),
    password: text(500).optional().describe('Of an SFTP server: the password'),
    privateKey: text(20_000).optional().describe('Of an SFTP server: the private key in the format of OpenSSH or PEM'),
    apiKey: text(500).optional().describe('Of a Stripe account: a restricted key that reads invoices and disputes'),
    passphrase: text(500).optional().describe('Of an SFTP server: the passphrase of the private key'),
  })
  .describe('What proves that the service may read the files. They are stored encrypted and never returned');
export type Credentials = z.infer<typeof credentials>;

const known: Readonly<Record<SourceAddress['kind'], readonly (keyof Credentials)[]>> = {
  url: ['authorization'],
  s3: ['accessKeyId', 'secretAccessKey'],
  sftp: ['password', 'privateKey', 'passphrase'],
  stripe: ['apiKey'],
};

/** Throws unless the credentials are those of the kind of source. */
export function assertCredentials({ kind }: Pick<SourceAddress, 'kind'>, credentials: Credentials | undefined): void {
  const present = Object.keys(credentials ?? {}) as (keyof Credentials)[];
  const foreign = present.find((name) => !known[kind].includes(name));
  if (foreign !== undefined)
    throw invalid({ path: `credentials.${foreign}`, message: `a source of the kind ${kind} has none` });
  if (kind === 's3' && present.length !== 2)
    throw invalid({ path: 'credentials', message: 'must have accessKeyId and secretAccessKey' });
  if (kind === 'stripe' && present.length === 0) throw invalid({ path: 'credentials', message: 'must have an apiKey' });
  if (kind === 'sftp' && credentials?.password === undefined && credentials?.privateKey === undefined)
    throw invalid({ path: 'credentials', message: 'must have a password or a privateKey' });
}

export function credentialsContext(scheduledImportId: string): string {
  return `scheduled_imports ${scheduledImportId}`;
}

/** Null for none. */
export function sealCredentials(
  secrets: Secrets,
  scheduledImportId: string,
  credentials: Credentials | undefined,
): Buffer | null {
  if (credentials === undefined || Object.keys(credentials).length === 0) return null;
  return secrets.seal(credentialsContext(scheduledImportId), JSON.stringify(credentials));
}

export function openCredentials(secrets: Secrets, scheduledImportId: string, sealed: Buffer | null): Credentials {
  if (sealed === null) return {};
  return JSON.parse(secrets.open(credentialsContext(scheduledImportId), sealed)) as Credentials;
}
