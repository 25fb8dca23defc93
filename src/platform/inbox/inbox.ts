import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { groupBy } from '../../kernel/group-by.js';
import { Batcher } from '../batcher.js';
import { isOutage } from '../database/database-errors.js';
import { type Database } from '../database/pool.js';
import { failpoint } from '../failpoint.js';
import { type Secrets } from '../secrets/secrets.js';
import { type InboxSource } from './inbox-tables.js';
import { type InboxWake } from './inbox-wake.js';

/** One event of a webhook delivery. */
export interface InboxMessage {
  readonly source: InboxSource;
  /** The sender's name for the account: a webhook id, a portal, the hash of a secret, a customer. */
  readonly route: string;
  /** A UUID, equal for repeated deliveries of one event. */
  readonly key: string;
  /** The id of the deal or customer that the message is about. */
  readonly subject: string;
  readonly payload: unknown;
}

/** The workspace of a route, and the secret that signs its deliveries. */
interface Route {
  readonly workspaceId: string;
  readonly secret: string | null;
}

/** The workspaces of a delivery by route; unknown routes are absent. */
export type Received = ReadonlyMap<string, readonly string[]>;

/** What was stored, and why messages of other routes were not. */
interface Stored {
  readonly received: Received;
  readonly failures: ReadonlyMap<string, unknown>;
}

const maxCachedRoutes = 10_000;
const maxDeliveriesPerStatement = 100;

/**
 * Stores the messages of webhooks before the sender receives a response. Deliveries that arrive while a statement
 * runs share the next one: under load, one commit serves many.
 */
export class Inbox {
  private readonly deliveries = new Batcher<readonly InboxMessage[], Stored>(maxDeliveriesPerStatement, (all) =>
    this.store(all),
  );
  private readonly routes = new LRUCache<string, Route>({ max: maxCachedRoutes });

  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly wake: InboxWake,
  ) {}

  /**
   * The target of the route, or null if it is unknown. Routes are cached, since the secret of a route never changes.
   * {@link receive} checks that the route still exists, and stores nothing for a deleted one.
   */
  async findRoute(source: InboxSource, route: string): Promise<Route | null> {
    const encryptionContext = routeEncryptionContext(source, route);
    const known = this.routes.get(encryptionContext);
    if (known !== undefined) return known;
    const { rows } = await sql<{ workspace_id: string; secret: Buffer | null }>`
      select workspace_id, secret from find_route(${source}, ${route})`.execute(this.database);
    const row = rows[0];
    if (row === undefined) return null;
    const found = {
      workspaceId: row.workspace_id,
      secret: row.secret === null ? null : this.secrets.open(encryptionContext, row.secret),
    };
    this.routes.set(encryptionContext, found);
    return found;
  }

  /**
   * Resolves when the messages are stored (or were already). Messages for unknown routes are dropped. Rejects if one of
   * them was not stored; the others were, and may be received again.
   */
  async receive(messages: readonly InboxMessage[]): Promise<Received> {
    const { received, failures } = await this.deliveries.add(messages);
    for (const failure of failures.values()) throw failure;
    return received;
  }

  private async store(deliveries: readonly (readonly InboxMessage[])[]): Promise<Stored[]> {
    await failpoint('inbox.beforeInsert');
    const stored = await this.insertAll(deliveries.flat());
    await failpoint('inbox.afterInsert');
    return deliveries.map((messages) => resultFor(stored, messages));
  }

  /** A workspace rejects its messages while it is moved; then those of each route are stored by themselves. */
  private async insertAll(messages: readonly InboxMessage[]): Promise<Stored> {
    try {
      return { received: await this.insert(messages), failures: new Map() };
    } catch (error) {
      if (isOutage(error)) await sql`select 1`.execute(this.database);
    }
    const received = new Map<string, readonly string[]>();
    const failures = new Map<string, unknown>();
    for (const [route, ofRoute] of groupBy(messages, contextOf))
      try {
        for (const [context, workspaces] of await this.insert(ofRoute)) received.set(context, workspaces);
      } catch (error) {
        failures.set(route, error);
      }
    return { received, failures };
  }

  private async insert(messages: readonly InboxMessage[]): Promise<Received> {
    if (messages.length === 0) return new Map();
    const { rows } = await sql<{ source: InboxSource; route: string; workspace_id: string }>`
      select * from receive_messages(${messages.map((message) => message.source)}::text[], ${messages.map((message) => message.route)}::text[],
        ${messages.map((message) => message.key)}::uuid[], ${messages.map((message) => message.subject)}::text[],
        ${messages.map((message) => JSON.stringify(message.payload))}::text[])`.execute(this.database);
    const received = new Map<string, string[]>();
    for (const { source, route, workspace_id: workspaceId } of rows) {
      const encryptionContext = routeEncryptionContext(source, route);
      received.set(encryptionContext, [...(received.get(encryptionContext) ?? []), workspaceId]);
      this.wake.schedule(workspaceId, source);
    }
    return received;
  }
}

/** The part of the result that belongs to one delivery. */
function resultFor(stored: Stored, messages: readonly InboxMessage[]): Stored {
  const received = new Map<string, readonly string[]>();
  const failures = new Map<string, unknown>();
  for (const message of messages) {
    const context = contextOf(message);
    const workspaces = stored.received.get(context);
    if (workspaces !== undefined) received.set(message.route, workspaces);
    if (stored.failures.has(context)) failures.set(context, stored.failures.get(context));
  }
  return { received, failures };
}

function contextOf({ source, route }: InboxMessage): string {
  return routeEncryptionContext(source, route);
}

/** Identifies the row of a route, and binds its sealed secret to it. */
export function routeEncryptionContext(source: string, route: string): string {
  return `inbound_routes ${source} ${route}`;
}
