import { type ScheduledImport } from '../../api/scheduled-import-queries.js';

const credentialNames = {
  url: ['authorization'],
  s3: ['accessKeyId', 'secretAccessKey'],
  sftp: ['password', 'privateKey', 'passphrase'],
  stripe: ['apiKey'],
} as const;
type CredentialName = (typeof credentialNames)[keyof typeof credentialNames][number];

/** Credentials are never shown, so their fields begin empty. */
export type EnteredCredentials = Readonly<Record<CredentialName, string>>;

export const noCredentials: EnteredCredentials = {
  authorization: '',
  accessKeyId: '',
  secretAccessKey: '',
  password: '',
  privateKey: '',
  passphrase: '',
  apiKey: '',
};

/** The other fields of the form. */
export interface EnteredImport {
  readonly name: string;
  readonly subject: string;
  readonly kind: ScheduledImport['source']['kind'];
  readonly url: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly folder: string;
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly dealKey: string;
  readonly days: string;
  readonly dealField: string;
  readonly every: string;
  readonly at: string;
}

export function enteredImport(scheduled: ScheduledImport | null): EnteredImport {
  const source: Partial<Record<string, unknown>> = scheduled?.source ?? {};
  const text = (name: string) => String(source[name] ?? '');
  return {
    name: scheduled?.name ?? '',
    subject: scheduled?.subject ?? 'deals',
    kind: scheduled?.source.kind ?? 'url',
    url: text('url'),
    endpoint: text('endpoint'),
    region: text('region'),
    bucket: text('bucket'),
    folder: text('folder'),
    host: text('host'),
    port: text('port') || '22',
    user: text('user'),
    dealKey: text('dealKey') || 'deal_id',
    days: text('days') || '400',
    dealField: scheduled?.options.dealField ?? '',
    every: scheduled?.schedule.every ?? 'day',
    at: scheduled?.schedule.at ?? '06:00',
  };
}

function toSource(values: EnteredImport): ScheduledImport['source'] {
  const { kind, url, endpoint, region, bucket, folder, host, port, user, dealKey, days } = values;
  if (kind === 'url') return { kind, url: url.trim() };
  if (kind === 'stripe') return { kind, dealKey, days: Number(days) };
  if (kind === 's3') return { kind, region, bucket, folder, ...(endpoint === '' ? {} : { endpoint }) };
  return { kind, host, port: Number(port), user, folder };
}

function toCredentials(
  { kind }: EnteredImport,
  credentials: EnteredCredentials,
): Partial<Record<CredentialName, string>> | undefined {
  const entered = credentialNames[kind].filter((name) => credentials[name].trim() !== '');
  return entered.length === 0 ? undefined : Object.fromEntries(entered.map((name) => [name, credentials[name].trim()]));
}

const requiredNames = {
  url: ['url'],
  s3: ['region', 'bucket'],
  sftp: ['host', 'port', 'user', 'folder'],
  stripe: ['dealKey', 'days'],
} as const;

/** Whether everything that the source needs is entered. */
export function isComplete(
  values: EnteredImport,
  credentials: EnteredCredentials,
  scheduled: ScheduledImport | null,
): boolean {
  const needed = ['name', 'at', ...requiredNames[values.kind]] as const;
  if (needed.some((name) => values[name].trim() === '')) return false;
  const keepsCredentials = scheduled !== null && !isOtherSource(values, scheduled);
  return keepsCredentials || values.kind === 'url' || toCredentials(values, credentials) !== undefined;
}

/** The key of an SFTP server, which the service has added, is no difference that a person entered. */
function isOtherSource(values: EnteredImport, scheduled: ScheduledImport): boolean {
  return JSON.stringify(toSource(values)) !== JSON.stringify(toSource(enteredImport(scheduled)));
}

/** Stripe has invoices only. */
export function subjectOf({ kind, subject }: EnteredImport): string {
  return kind === 'stripe' ? 'invoices' : subject;
}

function toOptions(values: EnteredImport) {
  const dealField = values.dealField.trim();
  return subjectOf(values) === 'invoices' && dealField !== '' ? { options: { dealField } } : {};
}

/** What is sent. An unchanged source is left out, since another one needs a new dry run. */
export function toBody(values: EnteredImport, entered: EnteredCredentials, scheduled: ScheduledImport | null) {
  const credentials = toCredentials(values, entered);
  const schedule = { every: values.every as 'day' | 'hour', at: values.at };
  return {
    name: values.name,
    schedule,
    ...(scheduled === null ? { subject: subjectOf(values), ...toOptions(values) } : {}),
    ...(scheduled === null || isOtherSource(values, scheduled) ? { source: toSource(values) } : {}),
    ...(credentials === undefined ? {} : { credentials }),
  };
}
