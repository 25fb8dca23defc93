import { type RawBuilder, sql } from 'kysely';
import { isOutage } from '../database/database-errors.js';
import { type InboxSource } from '../database/tables.js';
import { type UnitOfWork, type Work } from '../database/unit-of-work.js';
import { failpoint } from '../failpoint.js';
import { type Lease, LeaseLost, type Leases } from '../jobs/leases.js';
import { type Log } from '../log.js';
import { type InboxWake } from './inbox-wake.js';

/** News as they stand in the inbox, oldest first. */
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
 * Acts on news and settles them in the transaction of what they cause. May be given the same twice, when a worker
 * dies in between.
 */
export interface InboxHandler {
  readonly sources: readonly InboxSource[];
  handle(batch: InboxBatch): Promise<void>;
  /** News that failed too often, for good: told in the audit log, in the transaction that settles them. */
  deadLetter(trx: Work, batch: Pick<InboxBatch, 'workspaceId' | 'source' | 'messages'>, reason: string): Promise<void>;
}

/** The handler cannot go on now, for a reason that is not in the news: they are tried again until they can be settled. */
export class RetryLater extends Error {
  override readonly name = 'InboxDelay';

  constructor(
    message: string,
    readonly retryAfterMs: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const sliceMs = 10_000;
const subjectsAtOnce = 100;
const mostRowsAtOnce = 1000;
const mostAttempts = 8;
const longestPauseSeconds = 300;

/** Works inboxes off: one worker at a time for each workspace and source, so that news of one deal keep their order. */
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

  /** Until nothing is due. Who finds another at work leaves: that one looks again before it ends. */
  async run(workspaceId: string, source: InboxSource): Promise<void> {
    const handler = this.handlers.get(source);
    if (handler === undefined) throw new Error(`nobody handles news from ${source}`);
    await this.leases.hold(workspaceId, `inbox ${source}`, async (lease) => {
      const sliceEnd = performance.now() + sliceMs;
      while (performance.now() < sliceEnd) {
        const news = await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'read' }, (trx) =>
          dueNews(trx, workspaceId, source),
        );
        if (news.length === 0) return;
        if (!(await this.handle(handler, { workspaceId, source, messages: news, lease }))) return;
      }
      // Other work of the worker gets its turn.
      this.wake.soon(workspaceId, source);
    });
  }

  /** False when it is no use to go on at once. */
  private async handle(handler: InboxHandler, batch: InboxBatch): Promise<boolean> {
    try {
      await failpoint('news.afterPick');
      await handler.handle(batch);
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) return false;
      // An outage says nothing of the news: the sweep is soon back for them.
      if (isOutage(error)) throw error;
      await this.recordFailure(handler, batch, error);
      return !(error instanceof RetryLater);
    }
  }

  private async recordFailure(handler: InboxHandler, batch: InboxBatch, error: unknown): Promise<void> {
    const { workspaceId, source, messages: news } = batch;
    const delayed = error instanceof RetryLater;
    const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
    this.log.warn({ err: error, workspaceId, source, news: news.length }, 'news could not be worked off');
    await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, async (trx) => {
      const keys = news.map((one) => one.key);
      const pause = delayed ? error.retryAfterMs : null;
      await sql`
        update inbox set attempts = attempts + ${delayed ? 0 : 1}, error = ${reason},
          not_before = now() + greatest(${(pause ?? 0) / 1000},
            least(${longestPauseSeconds}, extract(epoch from now() - received_at) / 2 + 1)) * interval '1 second'
        where workspace_id = ${workspaceId} and source = ${source} and news_key = any(${keys}::uuid[])`.execute(trx);
      const hopeless = delayed ? [] : news.filter((one) => one.attempts + 1 >= mostAttempts);
      if (hopeless.length === 0) return;
      await markProcessed(trx, batch, hopeless, 'failed');
      await handler.deadLetter(trx, { workspaceId, source, messages: hopeless }, reason);
    });
  }
}

/** What has failed before comes last and one subject at a time, so that it holds back nothing but itself. */
async function dueNews(trx: Work, workspaceId: string, source: InboxSource): Promise<PendingMessage[]> {
  const fresh = await readDue(trx, workspaceId, source, sql`attempts = 0`, subjectsAtOnce);
  return fresh.length > 0 ? fresh : readDue(trx, workspaceId, source, sql`attempts > 0`, 1);
}

async function readDue(
  trx: Work,
  workspaceId: string,
  source: InboxSource,
  tried: RawBuilder<unknown>,
  mostSubjects: number,
): Promise<PendingMessage[]> {
  const { rows } = await sql<PendingMessage>`
    with due as (
      select news_key, subject, payload, received_at, attempts from inbox
      where workspace_id = ${workspaceId} and source = ${source} and settled_at is null and not_before <= now() and ${tried}
      order by received_at limit ${mostRowsAtOnce}
    )
    select news_key as key, subject, payload, received_at as "receivedAt", attempts from due
    where subject in (select subject from due group by subject order by min(received_at) limit ${mostSubjects})
    order by received_at, news_key`.execute(trx);
  return rows;
}

export async function markProcessed(
  trx: Work,
  { workspaceId, source }: Pick<InboxBatch, 'workspaceId' | 'source'>,
  news: readonly Pick<PendingMessage, 'key'>[],
  outcome: string,
): Promise<void> {
  if (news.length === 0) return;
  await sql`
    update inbox set settled_at = now(), outcome = ${outcome}, error = case when ${outcome} = 'failed' then error end
    where workspace_id = ${workspaceId} and source = ${source}
      and news_key = any(${news.map((one) => one.key)}::uuid[])`.execute(trx);
}
