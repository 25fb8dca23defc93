import { type RawBuilder, sql } from 'kysely';
import { isOutage } from '../database/database-errors.js';
import { type Transaction, type UnitOfWork } from '../database/unit-of-work.js';
import { failpoint } from '../failpoint.js';
import { type Lease, LeaseLost, type Leases } from '../jobs/leases.js';
import { type Log } from '../log.js';
import { type InboxSource } from './inbox-tables.js';
import { type InboxWake } from './inbox-wake.js';

/** A message of the inbox. */
export interface PendingMessage {
  readonly key: string;
  readonly subject: string;
  readonly payload: unknown;
  readonly receivedAt: Date;
  readonly attempts: number;
}

export interface InboxBatch {
  readonly workspaceId: string;
  readonly source: InboxSource;
  readonly messages: readonly PendingMessage[];
  readonly lease: Lease;
}

/**
 * Processes messages, and marks them as processed in the transaction of their effects. May receive the same messages
 * twice, when a worker dies in between.
 */
export interface InboxHandler {
  readonly sources: readonly InboxSource[];
  handle(batch: InboxBatch): Promise<void>;
  /** Handles messages that failed too often, in the transaction that marks them as failed: writes the audit entry. */
  deadLetter(tx: Transaction, batch: Pick<InboxBatch, 'source' | 'messages'>, reason: string): Promise<void>;
}

/**
 * The handler cannot process the messages now, for a reason outside of them: they are retried without counting an
 * attempt.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';

  constructor(
    message: string,
    readonly retryAfterMs: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const sliceMs = 10_000;
const maxSubjectsPerBatch = 100;
const maxRowsPerRead = 1000;
const maxAttempts = 8;
const maxPauseSeconds = 300;

/**
 * Processes inboxes, with one worker at a time per workspace and source, so that messages about one deal keep their
 * order.
 */
export class InboxRunner {
  private readonly handlers: ReadonlyMap<InboxSource, InboxHandler>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly leases: Leases,
    handlers: readonly InboxHandler[],
    private readonly wake: InboxWake,
    private readonly log: Log,
  ) {
    this.handlers = new Map(handlers.flatMap((handler) => handler.sources.map((source) => [source, handler] as const)));
  }

  /**
   * Runs until no message is due. Returns at once if another worker holds the lease: that worker reads the inbox
   * again before it ends.
   */
  async run(workspaceId: string, source: InboxSource): Promise<void> {
    const handler = this.handlers.get(source);
    if (handler === undefined) throw new Error(`no handler for inbox messages from ${source}`);
    await this.leases.hold(workspaceId, `inbox ${source}`, async (lease) => {
      const sliceEnd = performance.now() + sliceMs;
      while (performance.now() < sliceEnd) {
        const messages = await this.unitOfWork.read({ workspaceId }, (tx) => loadDueMessages(tx, source));
        if (messages.length === 0) return;
        if (!(await this.handle(handler, { workspaceId, source, messages, lease }))) return;
      }
      // Yields to other work of this worker.
      this.wake.schedule(workspaceId, source);
    });
  }

  /** False if the inbox should be left for now. */
  private async handle(handler: InboxHandler, batch: InboxBatch): Promise<boolean> {
    try {
      await failpoint('inbox.afterPick');
      await handler.handle(batch);
      return true;
    } catch (error) {
      // An outage is not a failure of the messages: the sweep retries them soon.
      if (error instanceof LeaseLost || isOutage(error)) throw error;
      await this.recordFailure(handler, batch, error);
      return !(error instanceof RetryLater);
    }
  }

  private async recordFailure(handler: InboxHandler, batch: InboxBatch, error: unknown): Promise<void> {
    const { workspaceId, source, messages } = batch;
    const delayed = error instanceof RetryLater;
    const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
    this.log.warn({ err: error, workspaceId, source, messages: messages.length }, 'inbox message processing failed');
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      const keys = messages.map((message) => message.key);
      const pause = delayed ? error.retryAfterMs : null;
      await sql`
        update inbox set attempts = attempts + ${delayed ? 0 : 1}, error = ${reason},
          not_before = now() + greatest(${(pause ?? 0) / 1000},
            least(${maxPauseSeconds}, extract(epoch from now() - received_at) / 2 + 1)) * interval '1 second'
        where workspace_id = ${workspaceId} and source = ${source} and message_key = any(${keys}::uuid[])`.execute(
        tx.db,
      );
      const exhausted = delayed ? [] : messages.filter((message) => message.attempts + 1 >= maxAttempts);
      if (exhausted.length === 0) return;
      await markProcessed(tx, batch, exhausted, 'failed');
      await handler.deadLetter(tx, { source, messages: exhausted }, reason);
    });
  }
}

/** Failed messages come last and one subject at a time, so that they do not block others. */
async function loadDueMessages(tx: Transaction, source: InboxSource): Promise<PendingMessage[]> {
  const untried = await readDue(tx, source, sql`attempts = 0`, maxSubjectsPerBatch);
  return untried.length > 0 ? untried : readDue(tx, source, sql`attempts > 0`, 1);
}

async function readDue(
  tx: Transaction,
  source: InboxSource,
  attempts: RawBuilder<unknown>,
  maxSubjects: number,
): Promise<PendingMessage[]> {
  const { rows } = await sql<PendingMessage>`
    with due as (
      select message_key, subject, payload, received_at, attempts from inbox
      where workspace_id = ${tx.workspaceId} and source = ${source} and processed_at is null and not_before <= now() and ${attempts}
      order by received_at limit ${maxRowsPerRead}
    )
    select message_key as key, subject, payload, received_at as "receivedAt", attempts from due
    where subject in (select subject from due group by subject order by min(received_at) limit ${maxSubjects})
    order by received_at, message_key`.execute(tx.db);
  return rows;
}

export async function markProcessed(
  tx: Transaction,
  { source }: Pick<InboxBatch, 'source'>,
  messages: readonly Pick<PendingMessage, 'key'>[],
  outcome: string,
): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    update inbox set processed_at = now(), outcome = ${outcome}, error = case when ${outcome} = 'failed' then error end
    where workspace_id = ${tx.workspaceId} and source = ${source}
      and message_key = any(${messages.map((message) => message.key)}::uuid[])`.execute(tx.db);
}
