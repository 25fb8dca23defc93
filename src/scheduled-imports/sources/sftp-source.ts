import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type Socket } from 'node:net';
import { type Client, type FileEntryWithStats, type SFTPWrapper } from 'ssh2';
import { withoutEndSlashes } from '../../kernel/end-slashes.js';
import { withTimeout } from '../../kernel/waiting.js';
import { connectGuarded, PostFailure } from '../../platform/outbound/guarded-post.js';
import {
  type FileSource,
  inOrder,
  isCsv,
  type ListedFile,
  maxListedFiles,
  type SourceLimits,
  unreachable,
} from './source.js';

interface SftpAccess {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly folder: string;
  /** The fingerprint that the key of the server must have; any key for undefined. */
  readonly hostKey: string | undefined;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly passphrase?: string | undefined;
}

/** The files of a folder. The connection goes to a checked address, and only to the server whose key is known. */
export async function sftpSource(access: SftpAccess, limits: SourceLimits): Promise<FileSource> {
  // Loaded on demand: most processes read no folder by SFTP.
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  let socket: Socket | undefined;
  try {
    socket = await connectGuarded(access.host, access.port, limits);
    const hostKey = await connect(client, socket, access, limits);
    const sftp = await withinLimit(limits, open(client));
    const folder = withoutEndSlashes(access.folder) || '/';
    const path = (name: string) => `${folder === '/' ? '' : folder}/${name}`;
    return {
      hostKey,
      list: async () => listFiles(await withinLimit(limits, readFolder(sftp, folder))),
      read: ({ name }, maxBytes) => withinLimit(limits, readFile(sftp, path(name), maxBytes)),
    };
  } catch (error) {
    // The client has not taken the socket if it rejects the key, and an error of a socket without an owner ends the process.
    socket?.destroy();
    throw toFailure(error);
  }
}

/** Resolves with the fingerprint of the server's key. */
async function connect(client: Client, sock: Socket, access: SftpAccess, limits: SourceLimits): Promise<string> {
  const { user: username, password, privateKey, passphrase } = access;
  let found = '';
  const hostVerifier = (key: Buffer) => {
    found = `SHA256:${createHash('sha256')
      .update(key)
      .digest('base64')
      .replace(/(?<!=)=+$/, '')}`;
    return access.hostKey === undefined || isEqual(found, access.hostKey);
  };
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    // Later errors end the calls that wait, and must not end the process.
    client.on('error', reject);
    client.once('close', () => reject(new Error('the server closed the connection')));
    const readyTimeout = limits.timeoutMs;
    client.connect({
      sock,
      username,
      hostVerifier,
      readyTimeout,
      ...(password === undefined ? {} : { password }),
      ...(privateKey === undefined ? {} : { privateKey }),
      ...(passphrase === undefined ? {} : { passphrase }),
    });
  }).catch((error: unknown) => {
    if (found !== '' && access.hostKey !== undefined && !isEqual(found, access.hostKey))
      throw unreachable(`the key of the server is ${found} and not the known one, ${access.hostKey}`);
    throw error;
  });
  return found;
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function open(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => (error === undefined ? resolve(sftp) : reject(error)));
  });
}

/** Reads the folder part by part: a server may send entries without end. */
async function readFolder(sftp: SFTPWrapper, folder: string): Promise<FileEntryWithStats[]> {
  const handle = await new Promise<Buffer>((resolve, reject) => {
    sftp.opendir(folder, (error, opened) => (error === undefined ? resolve(opened) : reject(error)));
  });
  const entries: FileEntryWithStats[] = [];
  for (let parts = 0; parts <= maxListedFiles && entries.length <= maxListedFiles; parts += 1) {
    const part = await readPart(sftp, handle);
    if (part === null) return entries;
    entries.push(...part);
  }
  throw unreachable(`the folder has more than ${maxListedFiles} files`);
}

/** Null after the last part. */
function readPart(sftp: SFTPWrapper, handle: Buffer): Promise<FileEntryWithStats[] | null> {
  const endOfFolder = 1;
  return new Promise((resolve, reject) => {
    sftp.readdir(handle, (error, entries) => {
      if (error === undefined) resolve(entries);
      else if ('code' in error && error.code === endOfFolder) resolve(null);
      else reject(error);
    });
  });
}

function listFiles(entries: readonly FileEntryWithStats[]): readonly ListedFile[] {
  const isFile = (mode: number) => (mode & constants.S_IFMT) === constants.S_IFREG;
  const files = entries.filter(({ filename, attrs }) => isFile(attrs.mode) && isCsv(filename));
  return inOrder(
    files.map(({ filename: name, attrs: { size, mtime } }) => ({
      name,
      version: `${size} ${mtime}`,
      bytes: size,
      modifiedAt: new Date(mtime * 1000).toISOString(),
    })),
  );
}

async function readFile(sftp: SFTPWrapper, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stream = sftp.createReadStream(path);
  // The request that closes the file may fail after the loop has ended, when nothing else handles the error.
  stream.on('error', () => undefined);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw unreachable(`the file is larger than ${maxBytes / 1024 / 1024} MiB`);
  }
  // The stream ends before the server has closed the file; a connection that ends in between fails it.
  if (!stream.closed) await once(stream, 'close');
  return Buffer.concat(chunks);
}

/** A server that stops to respond ends no call by itself. */
async function withinLimit<T>({ timeoutMs }: SourceLimits, work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(timeoutMs, work, () => {
      throw unreachable(`no response within ${timeoutMs / 1000} seconds`);
    });
  } catch (error) {
    throw toFailure(error);
  }
}

/** The texts of the library name no addresses and no secrets; those of the operating system are reduced to their code. */
function toFailure(error: unknown): Error {
  if (error instanceof PostFailure) return unreachable(error.message);
  if (!(error instanceof Error) || error.name === 'Failure') return error as Error;
  if ('level' in error && error.level === 'client-authentication')
    return unreachable('the server rejected the user or the credentials');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return unreachable(code ?? error.message);
}
