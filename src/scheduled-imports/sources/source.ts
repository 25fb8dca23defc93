import { Failure } from '../../kernel/failure.js';
import { type ConnectLimits } from '../../platform/outbound/guarded-post.js';

/** A file as its source lists it. */
export interface ListedFile {
  readonly name: string;
  /** How the source distinguishes versions; null if it does not. */
  readonly version: string | null;
  /** Null if the source does not say it. */
  readonly bytes: number | null;
  /** Instant in ISO 8601; null if the source does not say it. */
  readonly modifiedAt: string | null;
}

/** An open connection to where the files are. It ends with its thread. */
export interface FileSource {
  /** The CSV files, the oldest first. */
  list(): Promise<readonly ListedFile[]>;
  read(file: ListedFile, maxBytes: number): Promise<Buffer>;
  /** Fingerprint of the key of the server; null where the certificate of HTTPS proves the server. */
  readonly hostKey: string | null;
}

export type SourceLimits = ConnectLimits;

/** How a source is read, beside its address. */
export interface SourceSettings extends SourceLimits {
  /** Base URL of the API of Stripe. */
  readonly stripeBase: string;
  /** The time zone of the workspace. */
  readonly timeZone: string;
  /** The field of deals that names invoices, if there is one. */
  readonly dealField: string | undefined;
}

/** A folder with more files is not read: files that were imported should be moved away or deleted. */
export const maxListedFiles = 10_000;

export function unreachable(reason: string): Failure {
  return new Failure('source_unreachable', `The source cannot be read: ${reason}.`);
}

/** S3 has no longer names, and no file system does. */
const maxNameLength = 1024;

/** False for files of other kinds, those that a program has hidden while it writes them, and names that no program gives. */
export function isCsv(name: string): boolean {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const isName = name.length <= maxNameLength && !/\p{Cc}/u.test(name) && name.isWellFormed();
  return isName && /\.(csv|tsv|txt)$/i.test(last) && !last.startsWith('.');
}

/** The oldest first, so that a later file has the last word on a deal. */
export function inOrder(files: readonly ListedFile[]): readonly ListedFile[] {
  const key = ({ modifiedAt, name }: ListedFile) => `${modifiedAt ?? ''} ${name}`;
  return [...files].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
