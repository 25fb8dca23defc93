import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { isStorable } from './columns.js';
import { inIndexOrder } from './in-index-order.js';
import { type Transaction } from './unit-of-work.js';

/** Rows that are read as a feed; migrations/023_deals_and_events.ts numbers their changes. */
export interface Feed {
  readonly table: string;
  /** The columns with the key of a row and with the time of its change. */
  readonly key: string;
  readonly updatedAt: string;
  /** No row has a smaller key. */
  readonly smallestKey: string;
  isKey(text: string): boolean;
  /** Selects the row of the key `r.row_key` of a row that was removed, if it was stored again. */
  readonly storedAgain: RawBuilder<unknown>;
}

/** A place in an order of rows: after the row with the key that the transaction has written. */
interface Position {
  readonly changedIn: string;
  readonly key: string;
}

/** How far a reader is in the rows and in the deletions of a feed. */
interface Progress {
  /** The server that numbered the transactions. */
  readonly server: string;
  readonly rows: Position;
  readonly removed: Position;
  /** Rows that are older than the first page are left out if they changed before this time. */
  readonly since: string | null;
  /** The horizon of the first page. */
  readonly began: string;
}

const transactionId = z.string().regex(/^\d{1,19}$/);
const position = z.tuple([transactionId, z.string().max(1000)]).transform(([changedIn, key]) => ({ changedIn, key }));
const content = z.tuple([transactionId, position, position, z.iso.datetime().nullable(), transactionId]);

function readCursor(cursor: string): Progress | null {
  try {
    const read = content.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (!read.success) return null;
    const [server, rows, removed, since, began] = read.data;
    return { server, rows, removed, since, began };
  } catch {
    return null;
  }
}

function writeCursor({ server, rows, removed, since, began }: Progress): string {
  const parts = [server, [rows.changedIn, rows.key], [removed.changedIn, removed.key], since, began];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The `cursor` of a request to the feed. */
export function feedCursor(feed: Feed) {
  return z
    .string()
    .max(4000)
    .transform((cursor, context): Progress => {
      const progress = readCursor(cursor);
      if (progress !== null && feed.isKey(progress.rows.key) && isStorable(progress.removed.key)) return progress;
      context.addIssue('must be the nextCursor of a page');
      return z.NEVER;
    });
}

/** The rows that the next page of a feed is chosen from. */
export interface FeedRange {
  /** Whether the row follows the last one of the previous page, and no earlier transaction is open. */
  readonly contains: RawBuilder<SqlBool>;
  readonly limit: number;
}

export interface FeedRow {
  readonly changedIn: string;
  readonly key: string;
}

export interface FeedRequest {
  readonly feed: Feed;
  readonly cursor: Progress | undefined;
  /** Only rows that changed at this time or later; the cursor contains it for the pages that follow. */
  readonly updatedSince?: string | undefined;
  readonly limit: number;
}

export interface FeedPage<Row> {
  readonly rows: readonly Row[];
  readonly removed: readonly RemovedRow[];
  readonly nextCursor: string;
  readonly more: boolean;
}

interface RemovedRow extends FeedRow {
  readonly repId: string | null;
}

/**
 * The next page of a feed: rows in the order of the transactions that wrote them last, and the keys of rows that were
 * deleted. Only transactions below the oldest open one are read, so a row that is committed late, or changes between two
 * pages, is on a later page. A cursor of another server, or of a state before a restore, begins again.
 */
export async function readFeed<Row extends FeedRow>(
  tx: Transaction,
  request: FeedRequest,
  select: (range: FeedRange) => Promise<readonly Row[]>,
  /** Whether the caller may know of the deletion of the row `r`; null for every one. */
  mayKnow: RawBuilder<SqlBool> | null,
): Promise<FeedPage<Row>> {
  const { feed, limit } = request;
  const { server, horizon } = await readHorizon(tx);
  const progress = continueOrBegin(request, server, horizon);
  const isRecent =
    progress.since === null
      ? sql<SqlBool>`true`
      : sql<SqlBool>`(${sql.ref(feed.updatedAt)} >= ${progress.since}::timestamptz or changed_in >= ${progress.began}::xid8)`;
  const follows = ({ changedIn, key: last }: Position, column: string) =>
    sql<SqlBool>`changed_in < ${horizon}::xid8 and (changed_in, ${sql.ref(column)}) > (${changedIn}::xid8, ${last})`;
  const range = { contains: sql<SqlBool>`${follows(progress.rows, feed.key)} and ${isRecent}`, limit: limit + 1 };
  const rows = await (mayKnow === null ? inIndexOrder(tx, () => select(range)) : select(range));
  const { rows: removed } = await sql<RemovedRow>`
    select changed_in::text as "changedIn", row_key as key, rep_id as "repId" from removed_rows r
    where workspace_id = ${tx.workspaceId} and feed = ${feed.table} and ${follows(progress.removed, 'row_key')}
      and not exists (${feed.storedAgain})
      ${mayKnow === null ? sql`` : sql`and ${mayKnow}`}
    order by changed_in, row_key
    limit ${limit + 1}`.execute(tx.db);
  const next = {
    ...progress,
    rows: lastPosition(rows, limit, { changedIn: horizon, key: feed.smallestKey }),
    removed: lastPosition(removed, limit, { changedIn: horizon, key: '' }),
  };
  return {
    rows: rows.slice(0, limit),
    removed: removed.slice(0, limit),
    nextCursor: writeCursor(next),
    more: rows.length > limit || removed.length > limit,
  };
}

async function readHorizon(tx: Transaction): Promise<{ server: string; horizon: string }> {
  const { rows } = await sql<{ server: string; horizon: string }>`
    select system_identifier::text as server, pg_snapshot_xmin(pg_current_snapshot())::text as horizon
    from pg_control_system()`.execute(tx.db);
  return rows[0] as { server: string; horizon: string };
}

function continueOrBegin({ feed, cursor, updatedSince }: FeedRequest, server: string, horizon: string): Progress {
  const rows = { changedIn: '0', key: feed.smallestKey };
  const begun = { server, rows, removed: { changedIn: '0', key: '' }, since: null, began: horizon };
  if (cursor !== undefined) {
    const isAhead = [cursor.rows, cursor.removed].some(({ changedIn }) => BigInt(changedIn) > BigInt(horizon));
    return cursor.server === server && !isAhead ? cursor : begun;
  }
  if (updatedSince !== undefined) return { ...begun, since: new Date(updatedSince).toISOString() };
  // Who has no copy needs no deletions from before it.
  return { ...begun, removed: { changedIn: horizon, key: '' } };
}

/** A page that is not full has read everything below the horizon. */
function lastPosition(rows: readonly FeedRow[], limit: number, end: Position): Position {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last === undefined ? end : { changedIn: last.changedIn, key: last.key };
}
