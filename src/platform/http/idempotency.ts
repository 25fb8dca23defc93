import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Request } from 'express';
import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { type UnitOfWork, type Work } from '../database/unit-of-work.js';
import { failpoint } from '../failpoint.js';
import { type Log } from '../log.js';
import { type AnyOperation, type StreamedBody } from '../operation.js';

const keyPattern = /^[ -~]{1,200}$/;
/** How long a key stays taken after its process was killed. */
const leaseSeconds = 15;
const renewEveryMs = 5_000;

/** The Idempotency-Key of a request; null without one. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && keyPattern.test(key)) return key;
  throw invalid({ path: 'Idempotency-Key', message: 'must be 1 to 200 printable ASCII characters' });
}

/** A request as it is compared with an earlier one of the same key. */
export interface FingerprintedRequest {
  readonly key: string;
  readonly path: string;
  /** Hash of who asks for what; of an upload it is known once all of it has been read. */
  fingerprint(): Promise<Buffer>;
}

/** Takes the request's fingerprint; an upload is hashed while it passes, so its body comes back to be read instead. */
export function fingerprintRequest(
  key: string,
  operation: AnyOperation,
  request: Request,
  caller: Caller,
  body: unknown,
): { asked: FingerprintedRequest; body: unknown } {
  const path = canonicalPath(operation, request);
  const hash = createHash('sha256').update(JSON.stringify([caller.actor, `${path}${canonicalQuery(request)}`]));
  if (!isStreamed(body)) {
    const digest = hash.update(JSON.stringify(body) ?? '').digest();
    return { asked: { key, path, fingerprint: async () => digest }, body };
  }
  const stream = Readable.from(hashed(body.stream, hash), { objectMode: false });
  const fingerprint = async () => {
    if (!stream.readableEnded && !stream.destroyed) for await (const _ of stream);
    return hash.copy().digest();
  };
  return { asked: { key, path, fingerprint }, body: { ...body, stream } };
}

/** The path as the operation declares it, so that no other spelling of the same request repeats what it did. */
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
  readonly json: string;
  readonly replayed: boolean;
}

/** Stands for the status of a request that has written and whose answer is not known yet, or was lost. */
const written = 102;

interface Kept {
  readonly status: number | null;
  readonly running: boolean;
  readonly answer: string | null;
  readonly request_hash: Buffer | null;
}

/**
 * Keeps the first good answer to a key for a day and gives it to whoever asks again. Who runs holds a lease, renewed
 * while the process lives; a request that failed, or whose process died, so leaves the key free. Not so when it has
 * written: that is noted in the transaction itself, since neither a broken connection nor a dead process can tell
 * whether the commit came through. Then its answer is lost, and asking again is refused instead of doing it twice.
 */
export class IdempotencyStore {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /** `secret` answers are not kept, only that they were given: asking again is refused instead of doing it twice. */
  async run(
    caller: Caller,
    asked: FingerprintedRequest,
    secret: boolean,
    work: () => Promise<{ status: number; body: unknown }>,
  ): Promise<StoredResponse> {
    const claim = {
      workspaceId: caller.workspaceId,
      keyHash: createHash('sha256').update(`${asked.key}\n${asked.path}`).digest(),
      leaseId: newId(),
    };
    const kept = await this.claim(claim);
    if (kept !== null) return replay(kept, await asked.fingerprint());
    const renewal = setInterval(() => void this.quietly(this.renew(claim)), renewEveryMs);
    try {
      const { status, body } = await this.unitOfWork.withCommitHook(caller, (trx) => noteWrite(trx, claim), work);
      const json = JSON.stringify(body);
      await failpoint('answer.beforeKeep');
      await this.quietly(this.keep(claim, status, secret ? null : json, await asked.fingerprint()));
      return { status, json, replayed: false };
    } catch (error) {
      await this.quietly(this.release(claim));
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Null when the key is now ours; else what is known of the request that came first. */
  private async claim(claim: Claim): Promise<Kept | null> {
    const { workspaceId, keyHash, leaseId } = claim;
    const kept = await this.unitOfWork.run(claim, { lock: 'none', access: 'write' }, async (trx) => {
      const { rows } = await sql`
        insert into idempotency_keys as k (workspace_id, key_hash, lease_id, leased_until)
        values (${workspaceId}, ${keyHash}, ${leaseId}, now() + make_interval(secs => ${leaseSeconds}))
        on conflict (workspace_id, key_hash) do update set
          lease_id = excluded.lease_id, leased_until = excluded.leased_until, created_at = now(),
          request_hash = null, status = null, answer = null
        where (k.status is null and k.leased_until < now()) or k.created_at < now() - interval '24 hours'
        returning k.lease_id`.execute(trx);
      if (rows.length > 0) return null;
      return trx
        .selectFrom('idempotency_keys')
        .select(['status', 'answer', 'request_hash', sql<boolean>`leased_until > now()`.as('running')])
        .where('workspace_id', '=', workspaceId)
        .where('key_hash', '=', keyHash)
        .executeTakeFirst();
    });
    // The first one failed between our two looks.
    return kept === undefined ? this.claim(claim) : kept;
  }

  private async renew({ workspaceId, keyHash, leaseId }: Claim): Promise<void> {
    await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
      sql`
        update idempotency_keys set leased_until = now() + make_interval(secs => ${leaseSeconds})
        where workspace_id = ${workspaceId} and key_hash = ${keyHash} and lease_id = ${leaseId}`.execute(trx),
    );
  }

  private async keep(claim: Claim, status: number, answer: string | null, requestHash: Buffer): Promise<void> {
    const { workspaceId, keyHash, leaseId } = claim;
    await this.unitOfWork.run(claim, { lock: 'none', access: 'write' }, (trx) =>
      trx
        .updateTable('idempotency_keys')
        .set({ status, answer, request_hash: requestHash })
        .where('workspace_id', '=', workspaceId)
        .where('key_hash', '=', keyHash)
        .where('lease_id', '=', leaseId)
        .execute(),
    );
  }

  private async release({ workspaceId, keyHash, leaseId }: Claim): Promise<void> {
    await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, async (trx) => {
      await sql`
        update idempotency_keys set leased_until = now()
        where workspace_id = ${workspaceId} and key_hash = ${keyHash} and lease_id = ${leaseId} and status = ${written}`.execute(
        trx,
      );
      await trx
        .deleteFrom('idempotency_keys')
        .where('workspace_id', '=', workspaceId)
        .where('key_hash', '=', keyHash)
        .where('lease_id', '=', leaseId)
        .where('status', 'is', null)
        .execute();
    });
  }

  /** What the request came to stands already; that it could not be noted must not change it. */
  private async quietly(work: Promise<void>): Promise<void> {
    await work.catch((error) => this.log.warn({ err: error }, 'an idempotency key could not be written'));
  }
}

interface Claim {
  readonly workspaceId: string;
  readonly keyHash: Buffer;
  readonly leaseId: string;
}

/**
 * Only what has a transaction id has written, or locked in order to write. It ends in nothing when the process stood
 * still for longer than its lease and the key is another request's by now.
 */
async function noteWrite(trx: Work, { workspaceId, keyHash, leaseId }: Claim): Promise<void> {
  const { rows } = await sql<{ lost: boolean }>`
    with noted as (
      update idempotency_keys set status = ${written}
      where workspace_id = ${workspaceId} and key_hash = ${keyHash} and lease_id = ${leaseId}
        and pg_current_xact_id_if_assigned() is not null
      returning 1
    )
    select pg_current_xact_id_if_assigned() is not null and not exists (select from noted) as lost`.execute(trx);
  if (rows[0]?.lost === true) throw inProgress();
}

function inProgress(): Failure {
  return new Failure('request_in_progress', 'The first request with this Idempotency-Key is still running.');
}

function replay({ status, running, answer, request_hash: first }: Kept, now: Buffer): StoredResponse {
  if (status === written && !running)
    throw new Failure(
      'duplicate_idempotency_key',
      'This was done already, but its answer was lost. Look at what it has written before you ask with another key.',
    );
  if (status === null || status === written) throw inProgress();
  if (first === null || !first.equals(now))
    throw new Failure('duplicate_idempotency_key', 'This Idempotency-Key was used for another request.');
  if (answer === null)
    throw new Failure(
      'duplicate_idempotency_key',
      'This was done already. Its answer held a secret, which is told once and not kept.',
    );
  return { status, json: answer, replayed: true };
}
