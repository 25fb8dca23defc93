import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { dateFormats } from '../kernel/date-text.js';
import { Failure, invalid } from '../kernel/failure.js';
import { numberFormats } from '../kernel/number-text.js';
import { invoiceField } from '../pay/invoices/invoice.js';
import { pathId, text, timeOfDay } from '../platform/operations/schemas.js';
import { checkUrl } from '../platform/outbound/guarded-post.js';

/** A workspace has at most this many scheduled imports. */
export const maxScheduledImports = 20;

export const importSubjects = ['deals', 'people', 'quotas', 'invoices'] as const;
export type ImportSubject = (typeof importSubjects)[number];

const hostname = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/i;
const url = z
  .string()
  .max(2000)
  .refine((value) => URL.canParse(value), 'must be a URL');

/** Where the files are. */
export const sourceAddress = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('url').describe('A URL that returns one CSV file'),
        url: url.describe('https, with a public address. Redirects are followed'),
      })
      .describe('A file at a URL'),
    z
      .strictObject({
        kind: z.literal('s3').describe('A folder of an S3-compatible store'),
        endpoint: url.optional().describe('URL of the store; Amazon S3 of the region by default'),
        region: text(60)
          .regex(/^[a-z0-9-]+$/)
          .describe('Region of the bucket, such as eu-central-1'),
        bucket: text(63)
          .regex(/^[a-zA-Z0-9._-]+$/)
          .describe('Name of the bucket'),
        folder: z.string().trim().max(500).default('').describe('Folder in the bucket; the whole bucket by default'),
      })
      .describe('A folder of an S3-compatible store'),
    z
      .strictObject({
        kind: z.literal('sftp').describe('A folder of an SFTP server'),
        host: text(253).regex(hostname, 'must be a host name').describe('Public host name or address of the server'),
        port: z.int().min(1).max(65_535).default(22).describe('Port of the server'),
        user: text(100).describe('Name of the user'),
        folder: text(500).describe('Path of the folder'),
        hostKey: text(100)
          .regex(/^SHA256:[A-Za-z0-9+/]{43}$/)
          .optional()
          .describe('Fingerprint of the key of the server; the one of the first connection by default'),
      })
      .describe('A folder of an SFTP server'),
    z
      .strictObject({
        kind: z.literal('stripe').describe('The invoices of a Stripe account'),
        dealKey: text(40)
          .default('deal_id')
          .describe('Key of the metadata of an invoice that has the id of its deal; deal_id by default'),
        days: z
          .int()
          .min(1)
          .max(1000)
          .default(400)
          .describe('Invoices that were created in so many days are read each time, 1 to 1000; 400 by default'),
      })
      .describe('The invoices of a Stripe account, with what was paid and what customers charged back'),
  ])
  .describe('Where the files are');
export type SourceAddress = z.infer<typeof sourceAddress>;

export const importOptions = z
  .strictObject({
    columns: z
      .record(z.string().max(200), z.string().trim().max(200).nullable())
      .refine((columns) => Object.keys(columns).length <= 500, 'must have at most 500 columns')
      .optional()
      .describe('The name that a column of the file has for the import, by its name in the file; null leaves it out'),
    idColumn: text(200).optional().describe('Column with the deal ids, as the import names it; default id'),
    textColumns: text(2000)
      .optional()
      .describe(
        'Columns of deals, as the import names them and separated by commas, that stay texts although all of their values are numbers or dates',
      ),
    dateFormat: z.enum(dateFormats).optional().describe('Format of dates in the files, in addition to ISO 8601'),
    dealField: invoiceField.optional(),
    numberFormat: z.enum(numberFormats).optional().describe('en for 1,234.50 and eu for 1.234,50'),
  })
  .describe('How columns and values of the files are read');
export type ImportOptions = z.infer<typeof importOptions>;

export const schedule = z
  .strictObject({
    every: z.enum(['hour', 'day']).describe('How often the source is read'),
    at: timeOfDay('06:30').describe(
      'Time in the time zone of the workspace, HH:MM; of an hourly schedule only the minute counts',
    ),
  })
  .describe('When the source is read');

export const importPath = { scheduledImportId: pathId.describe('Id of the scheduled import (UUID)') };
export const nameField = text(100).describe('Name for people');
export const pausedField = z.boolean().describe('Whether the schedule is suspended');

export const scheduledImport = z
  .object({
    id: z.string().describe('Id of the scheduled import (UUID)'),
    name: z.string().describe('Name for people'),
    subject: z.enum(importSubjects).describe('What the files hold'),
    source: sourceAddress,
    hasCredentials: z.boolean().describe('Whether credentials are stored'),
    options: importOptions,
    schedule,
    paused: pausedField,
    confirmedAt: z
      .string()
      .nullable()
      .describe('When an admin confirmed a dry run, instant in ISO 8601; null: nothing is imported before'),
    waitingFileId: z
      .string()
      .nullable()
      .describe('The file whose dry run waits for confirmation (UUID); null for none'),
    nextRunAt: z.string().nullable().describe('When the source is read next, instant in ISO 8601; null while paused'),
    isRunning: z.boolean().describe('Whether a run is due or in progress'),
    lastRunAt: z.string().nullable().describe('When the source was last read, instant in ISO 8601; null for never'),
    error: z.string().nullable().describe('Why the last run failed; null if it did not'),
    createdAt: fields.createdAt,
  })
  .describe('Files that are imported by a schedule, without the credentials');
export type ScheduledImport = z.input<typeof scheduledImport>;

export function scheduledImportNotFound(): Failure {
  return new Failure('not_found', unknownScheduledImport);
}

export const unknownScheduledImport = 'There is no such scheduled import in this workspace.';

/** Throws unless files of the subject may come from the source. */
export function assertSubject(subject: ImportSubject, { kind }: Pick<SourceAddress, 'kind'>): void {
  if (kind === 'stripe' && subject !== 'invoices')
    throw invalid({ path: 'subject', message: 'must be invoices with a source of the kind stripe' });
}

/** Throws unless the address may be read. The addresses of its host are checked with every connection. */
export function assertAddress(source: SourceAddress, allowLoopback: boolean): void {
  if (source.kind === 'stripe') return;
  const entered =
    source.kind === 'url'
      ? (['url', source.url] as const)
      : source.kind === 's3'
        ? (['endpoint', source.endpoint] as const)
        : (['host', `https://${source.host}`] as const);
  const [name, value] = entered;
  if (value === undefined) return;
  const problem = URL.canParse(value) ? checkUrl(new URL(value), allowLoopback) : 'must be a host name';
  if (problem !== null) throw invalid({ path: `source.${name}`, message: problem });
}

export const scheduledImportExample = {
  id: '5d0f6a1b-7c2e-4a8d-9b3f-1e2d3c4b5a69',
  name: 'Bookings of the warehouse',
  subject: 'deals',
  source: { kind: 'sftp', host: 'files.acme.com', port: 22, user: 'commissions', folder: '/bookings' },
  hasCredentials: true,
  options: { idColumn: 'booking_id', dateFormat: 'ISO' },
  schedule: { every: 'day', at: '06:30' },
  paused: false,
  confirmedAt: '2026-02-11T08:30:00.000Z',
  waitingFileId: null,
  nextRunAt: '2026-02-12T06:30:00.000Z',
  isRunning: false,
  lastRunAt: '2026-02-11T06:30:02.000Z',
  error: null,
  createdAt: '2026-02-10T09:00:00.000Z',
} satisfies ScheduledImport;
