import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Request } from 'express';
import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '../database/unit-of-work.js';
import { failpoint } from '../failpoint.js';
import { type Log } from '../log.js';
import { byteLength, jsonChunks } from '../long-response.js';
import { type AnyOperation, type StreamedBody } from '../operations/operation.js';

const keyPattern = /^[ -~]{1,200}$/;
/** In bytes. For a larger response, the key stores only that it was sent. */
const maxStoredResponse = 256 * 1024;
/** How long a key stays claimed after its process was killed. */
const leaseSeconds = 15;
const renewEveryMs = 5_000;

/** The Idempotency-Key of a request; null if the request has none. */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && keyPattern.test(key)) return key;
  throw invalid({ path: 'Idempotency-Key', message: 'must be 1 to 200 printable ASCII characters' });
}

/** The data by which a request is compared with an earlier one of the same key. */
interface FingerprintedRequest {
  readonly key: string;
  readonly path: string;
  /** Hash of caller and request; for an upload it is available when all of it has been read. */
  fingerprint(): Promise<Buffer>;
}

/**
 * Computes the request's fingerprint. An upload is hashed while it is read, so the returned body must be read
 * instead of the original.
 */
export function fingerprintRequest(
  key: string,
  operation: AnyOperation,
  request: Request,
  caller: Caller,
  body: unknown,
): { fingerprinted: FingerprintedRequest; body: unknown } {
  const path = canonicalPath(operation, request);
  const hash = createHash('sha256').update(JSON.stringify([caller.actor, `${path}${canonicalQuery(request)}`]));
  if (!isStreamed(body)) {
    const digest = hash.update(JSON.stringify(body) ?? '').digest();
    return { fingerprinted: { key, path, fingerprint: async () => digest }, body };
  }
  const stream = Readable.from(hashed(body.stream, hash), { objectMode: false });
  const fingerprint = async () => {
    if (!stream.readableEnded && !stream.destroyed) for await (const _ of stream);
    return hash.copy().digest();
  };
  return { fingerprinted: { key, path, fingerprint }, body: { ...body, stream } };
}

/** The path as the operation declares it, so that another spelling of the same request is not executed again. */
function canonicalPath({ path }: AnyOperation, { params }: Request): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    return encodeURIComponent(isUuid(value) ? value.toLowerCase() : value);
  });
}

function canonicalQuery({ query }: Request): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(pairs.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return text === '' ? '' : `?${text}`;
}

function isStreamed(body: unknown): body is StreamedBody {
  return (body as Partial<StreamedBody> | null | undefined)?.stream instanceof Readable;
}

async function* hashed(stream: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    hash.update(chunk as Buffer);
    yield chunk as Buffer;
  }
}

export interface StoredResponse {
  readonly status: number;
  readonly json: readonly Buffer[];
  readonly replayed: boolean;
}

/** The status of a request that has written and whose response is not known yet, or was lost. */
const written = 102;

interface StoredKey {
  readonly status: number | null;
  readonly running: boolean;
  readonly response: string | null;
  readonly request_hash: Buffer | null;
}

/**
 * Stores the first successful response to a key for a day and returns it to repeated requests. The running request
 * holds a lease, renewed while the process runs, so a request that failed, or whose process died, leaves the key
 * free. A request that has written does not: the write is recorded in its own transaction, since after a lost
 * connection or a dead process the outcome of the commit is unknown. Then the response is lost, and repeated
 * requests are rejected instead of executed twice.
 */
export class IdempotencyStore {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /**
   * `secret` and large responses are not stored, only that they were sent: repeated requests are rejected instead of
   * executed twice.
   */
  async run(
    caller: Caller,
    request: FingerprintedRequest,
    secret: boolean,
    work: (caller: Caller) => Promise<{ status: number; body: unknown }>,
  ): Promise<StoredResponse> {
    const claim = {
      workspaceId: caller.workspaceId,
      keyHash: createHash('sha256').update(`${request.key}\n${request.path}`).digest(),
      leaseId: newId(),
    };
    const stored = await this.claim(claim);
    if (stored !== null) return replay(stored, await request.fingerprint(), secret);
    const renewal = setInterval(() => void this.logFailure(this.renew(claim)), renewEveryMs);
    try {
      const { status, body } = await work(
        withTransactionHooks(caller, { beforeCommit: (tx) => recordWrite(tx, claim) }),
      );
      const json = await jsonChunks(body);
      await failpoint('response.beforeStore');
      const storable = secret || byteLength(json) > maxStoredResponse ? null : Buffer.concat(json).toString();
      await this.logFailure(this.store(claim, status, storable, await request.fingerprint()));
      return { status, json, replayed: false };
    } catch (error) {
      await this.logFailure(this.release(claim));
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Null when this request has claimed the key; otherwise the stored state of the first request. */
  private async claim(claim: Claim): Promise<StoredKey | null> {
    const { workspaceId, keyHash, leaseId } = claim;
    const stored = await this.unitOfWork.write(claim, async (tx) => {
      const { rows } = await sql`
        insert into idempotency_keys as k (workspace_id, key_hash, lease_id, leased_until)
        values (${workspaceId}, ${keyHash}, ${leaseId}, now() + make_interval(secs => ${leaseSeconds}))
        on conflict (workspace_id, key_hash) do update set
          lease_id = excluded.lease_id, leased_until = excluded.leased_until, created_at = now(),
          request_hash = null, status = null, response = null
        where (k.status is null and k.leased_until < now()) or k.created_at < now() - interval '24 hours'
        returning k.lease_id`.execute(tx.db);
      if (rows.length > 0) return null;
      return tx.db
        .selectFrom('idempotency_keys')
        .select(['status', 'response', 'request_hash', sql<boolean>`leased_until > now()`.as('running')])
        .where('workspace_id', '=', workspaceId)
        .where('key_hash', '=', keyHash)
        .executeTakeFirst();
    });
    // The first request failed between the two statements.
    return stored === undefined ? this.claim(claim) : stored;
  }

  private async renew({ workspaceId, keyHash, leaseId }: Claim): Promise<void> {
    await this.unitOfWork.write({ workspaceId }, (tx) =>
      sql`
        update idempotency_keys set leased_until = now() + make_interval(secs => ${leaseSeconds})
        where workspace_id = ${workspaceId} and key_hash = ${keyHash} and lease_id = ${leaseId}`.execute(tx.db),
    );
  }

  private async store(claim: Claim, status: number, response: string | null, requestHash: Buffer): Promise<void> {
    const { workspaceId, keyHash, leaseId } = claim;
    await this.unitOfWork.write(claim, (tx) =>
      tx.db
        .updateTable('idempotency_keys')
        .set({ status, response, request_hash: requestHash })
        .where('workspace_id', '=', workspaceId)
        .where('key_hash', '=', keyHash)
        .where('lease_id', '=', leaseId)
        .execute(),
    );
  }

  private async release({ workspaceId, keyHash, leaseId }: Claim): Promise<void> {
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      await sql`
        update idempotency_keys set leased_until = now()
        where workspace_id = ${workspaceId} and key_hash = ${keyHash} and lease_id = ${leaseId}
          and status = ${written}`.execute(tx.db);
      await tx.db
        .deleteFrom('idempotency_keys')
        .where('workspace_id', '=', workspaceId)
        .where('key_hash', '=', keyHash)
        .where('lease_id', '=', leaseId)
        .where('status', 'is', null)
        .execute();
    });
  }

  /** The request has its outcome already; a failure to record it must not change the response. */
  private async logFailure(work: Promise<void>): Promise<void> {
    await work.catch((error) => this.log.warn({ err: error }, 'writing an idempotency key failed'));
  }
}

interface Claim {
  readonly workspaceId: string;
  readonly keyHash: Buffer;
  readonly leaseId: string;
}

/**
 * Only a transaction with an id has written, or locked in order to write. Rolls back when the process paused for
 * longer than its lease and another request has claimed the key.
 */
async function recordWrite(tx: Transaction, { keyHash, leaseId }: Claim): Promise<void> {
  const { rows } = await sql<{ lost: boolean }>`
    with noted as (
      update idempotency_keys set status = ${written}
      where workspace_id = ${tx.workspaceId} and key_hash = ${keyHash} and lease_id = ${leaseId}
        and pg_current_xact_id_if_assigned() is not null
      returning 1
    )
    select pg_current_xact_id_if_assigned() is not null and not exists (select from noted) as lost`.execute(tx.db);
  if (rows[0]?.lost === true) throw inProgress();
}

function inProgress(): Failure {
  return new Failure('request_in_progress', 'The first request with this Idempotency-Key is still running.');
}

function replay(
  { status, running, response, request_hash: first }: StoredKey,
  now: Buffer,
  secret: boolean,
): StoredResponse {
  if (status === written && !running)
    throw new Failure(
      'duplicate_idempotency_key',
      'The first request with this Idempotency-Key was executed, but its response was lost. Check what it has written before you retry with another key.',
    );
  if (status === null || status === written) throw inProgress();
  if (first === null || !first.equals(now))
    throw new Failure(
      'duplicate_idempotency_key',
      'This Idempotency-Key was used for a different request. Use a new key.',
    );
  if (response === null)
    throw new Failure(
      'duplicate_idempotency_key',
      secret
        ? 'The first request with this Idempotency-Key was executed. Its response contained a secret, which is returned only once and not stored.'
        : 'The first request with this Idempotency-Key was executed. Its response was larger than 256 KiB and is not stored; read what it has written.',
    );
  return { status, json: [Buffer.from(response)], replayed: true };
}
