import { z } from 'zod';
import { storedJobFields, storedJobResponse } from '../api/stored-job.js';
import { type Caller, maySee, readsAsAdmin, seesTeam } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Period } from '../kernel/period.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { lifetimesMs, type StoredJob } from '../platform/stored-jobs/stored-job.js';
import { type ExportKind, type FileInfo } from './export-tables.js';
import { type EvidenceRange } from './packets/evidence.js';
import { type CsvTerms } from './team-csv.js';

const exportKinds = [
  'statement.pdf',
  'statement.xlsx',
  'team.pdf',
  'team.xlsx',
  'team.zip',
  'team.csv',
  'plan.pdf',
  'person.zip',
  'evidence.zip',
] as const satisfies readonly ExportKind[];

/** The requested file, identified by ids. Its content is read when a worker makes it. */
export interface ExportRequest {
  readonly kind: ExportKind;
  /** Files of the team have no rep. */
  readonly repId: string | null;
  readonly period: Period;
  /** Restricts a team file to the people below this manager; null for everyone. */
  readonly managerId: string | null;
  /** The instant whose state the file shows; null for the present state. */
  readonly asOf: Date | null;
  /** The plan version whose document the file is. */
  readonly planVersionId?: string;
  /** The terms of a CSV file of the team. */
  readonly csv?: CsvTerms;
  /** What a packet of evidence is about; its period is the month of its last day. */
  readonly range?: EvidenceRange;
}

/** The request as it is stored beside its period. */
export type ExportSubject = Omit<ExportRequest, 'period' | 'asOf'> & { readonly asOf: string | null };

export function toRequest({
  subject,
  period,
}: {
  readonly subject: ExportSubject;
  readonly period: string;
}): ExportRequest {
  return { ...subject, period, asOf: subject.asOf === null ? null : new Date(subject.asOf) };
}

/** Archives, whose parts are files. Only that of a team continues from its stored parts. */
export function isArchive(kind: ExportKind): boolean {
  return kind.endsWith('.zip');
}

export type ExportJob = StoredJob<ExportSubject, FileInfo>;

/** The same shape as a recalculation job, so that one client loop can wait for both. */
export const exportJob = z
  .object({
    ...storedJobFields,
    kind: z.enum(exportKinds).describe('What the file contains, and its format'),
    repId: z.string().optional().describe('Whose file it is (UUID); absent for a file of the team'),
    asOf: z.string().optional().describe('The earlier instant whose state the file shows, in ISO 8601'),
    from: z.string().optional().describe('First day of a packet of evidence, YYYY-MM-DD; absent for other files'),
    to: z.string().optional().describe('Last day of a packet of evidence, YYYY-MM-DD; absent for other files'),
    file: z
      .object({
        path: z.string().describe('Path that returns the file'),
        filename: z.string().describe('Name of the file'),
        contentType: z.string().describe('Media type of the file'),
        bytes: z.int().describe('Size of the file in bytes'),
        expiresAt: z.string().describe('When the file is deleted, instant in ISO 8601'),
        manifestSha256: z
          .string()
          .optional()
          .describe('SHA-256 of the manifest of a packet, in hexadecimal; absent for other files'),
      })
      .optional()
      .describe('The file, once the job is completed'),
  })
  .describe('A file that a worker makes');

export function toJobResponse(job: ExportJob): z.input<typeof exportJob> {
  const { jobId, finishedAt, result: file } = job;
  const { kind, repId, asOf, range } = job.subject;
  return {
    ...storedJobResponse(job),
    kind,
    ...(repId === null ? {} : { repId }),
    ...(asOf === null ? {} : { asOf }),
    ...(range === undefined ? {} : { from: range.from, to: range.to }),
    ...(file === null || finishedAt === null
      ? {}
      : {
          file: {
            path: `/v1/statements/export/jobs/${jobId}/file`,
            filename: file.filename,
            contentType: file.contentType,
            bytes: file.bytes,
            expiresAt: new Date(finishedAt.getTime() + lifetimesMs.export).toISOString(),
            ...(file.manifestSha256 === undefined ? {} : { manifestSha256: file.manifestSha256 }),
          },
        }),
  };
}

/**
 * Whether the caller may see the export. Checked on every request, so a rep who is no longer a manager loses access
 * to team files, and a manager to those with people who have left the team.
 */
export function mayDownload(caller: Caller, { subject, result: file }: ExportJob): boolean {
  const { kind, repId, managerId } = subject;
  if (kind === 'evidence.zip') return readsAsAdmin(caller);
  if (kind === 'person.zip') return mayExportPerson(caller, repId);
  if (repId !== null) return maySee(caller, repId);
  if (!seesTeam(caller)) return false;
  if (caller.team === undefined) return true;
  return managerId === caller.repId && (file === null || file.repIds?.every((id) => maySee(caller, id)) === true);
}

/** Only the person and admins get everything that is stored about the person. */
export function mayExportPerson({ accessLevel, repId }: Caller, personId: string | null): boolean {
  return accessLevel === 'admin' || (repId !== null && repId === personId);
}

/** The manager to whose people a team file is restricted if this caller requests it; null for no restriction. */
export function findManager(caller: Caller): string | null {
  return caller.team === undefined ? null : caller.repId;
}

export function jobNotFound(): Failure {
  return new Failure('job_not_found', 'This export does not exist, or it finished more than an hour ago.');
}

export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Failures of making a file, in addition to those of the operation. */
export const exportFailures = { pdf_unavailable: 503, export_unavailable: 503, rep_not_found: 404 } as const;

export const exportJobExample = {
  jobId: sampleIds.jobId,
  kind: 'team.zip',
  status: 'completed',
  period: '2026-02',
  startedAt: '2026-03-01T08:10:00.000Z',
  finishedAt: '2026-03-01T08:10:12.000Z',
  progress: { done: 63, total: 63 },
  file: {
    path: `/v1/statements/export/jobs/${sampleIds.jobId}/file`,
    filename: 'statements-2026-02.zip',
    contentType: 'application/zip',
    bytes: 4_812_337,
    expiresAt: '2026-03-01T09:10:12.000Z',
  },
};
