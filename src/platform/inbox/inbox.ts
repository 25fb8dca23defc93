import { sql } from 'kysely';
import { Batcher } from '../batcher.js';
import { type Database } from '../database/pool.js';
import { type InboxSource } from '../database/tables.js';
import { failpoint } from '../failpoint.js';
import { type Secrets } from '../secrets/secrets.js';
import { type InboxWake } from './inbox-wake.js';

/** One piece of news, as a webhook tells it. */
export interface InboxMessage {
  readonly source: InboxSource;
  /** How the sender names the account: a webhook id, a portal, the hash of a secret, a customer. */
  readonly route: string;
  /** UUID, the same for news that are told again. */
  readonly key: string;
  /** The deal or the subscription that it is about. */
  readonly subject: string;
  readonly payload: unknown;
}

/** Where a route leads, and the secret that its deliveries are signed with. */
export interface Route {
  readonly workspaceId: string;
  readonly secret: string | null;
}

/** The workspaces that a delivery was for, by its routes; a route that leads nowhere is absent. */
export type Received = ReadonlyMap<string, readonly string[]>;

const mostRemembered = 10_000;
const mostDeliveriesAtOnce = 100;

/**
 * Keeps what webhooks bring before the sender is told that it arrived. Deliveries that come while a statement runs
 * go into the next one together: under load one commit serves many.
 */
export class Inbox {
  private readonly deliveries = new Batcher<readonly InboxMessage[], Received>(mostDeliveriesAtOnce, (all) =>
    this.keep(all),
  );
  private readonly routes = new Map<string, Route>();

  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly wake: InboxWake,
  ) {}

  /**
   * Where the route leads. The secret of a route never changes, so it is remembered; whether the route still stands
   * is decided by {@link receive}, which keeps nothing for one that is gone.
   */
  async findRoute(source: InboxSource, route: string): Promise<Route | null> {
    const place = placeOfRoute(source, route);
    const known = this.routes.get(place);
    if (known !== undefined) return known;
    const { rows } = await sql<{ workspace_id: string; secret: Buffer | null }>`
      select workspace_id, secret from find_route(${source}, ${route})`.execute(this.database);
    const row = rows[0];
    if (row === undefined) return null;
    const found = {
      workspaceId: row.workspace_id,
      secret: row.secret === null ? null : this.secrets.open(place, row.secret),
    };
    if (this.routes.size >= mostRemembered) this.routes.clear();
    this.routes.set(place, found);
    return found;
  }

  /** Resolves when the news are on disk, or were before. What nobody here is waiting for is dropped. */
  receive(news: readonly InboxMessage[]): Promise<Received> {
    return this.deliveries.add(news);
  }

  private async keep(deliveries: readonly (readonly InboxMessage[])[]): Promise<Received[]> {
    await failpoint('inbox.beforeInsert');
    const received = await this.insert(deliveries.flat());
    await failpoint('inbox.afterInsert');
    return deliveries.map((news) => within(received, news));
  }

  private async insert(news: readonly InboxMessage[]): Promise<Received> {
    if (news.length === 0) return new Map();
    const { rows } = await sql<{ source: InboxSource; route: string; workspace_id: string }>`
      select * from receive_news(${news.map((one) => one.source)}::text[], ${news.map((one) => one.route)}::text[],
        ${news.map((one) => one.key)}::uuid[], ${news.map((one) => one.subject)}::text[],
        ${news.map((one) => JSON.stringify(one.payload))}::text[])`.execute(this.database);
    const received = new Map<string, string[]>();
    for (const { source, route, workspace_id: workspaceId } of rows) {
      const place = placeOfRoute(source, route);
      received.set(place, [...(received.get(place) ?? []), workspaceId]);
      this.wake.soon(workspaceId, source);
    }
    return received;
  }
}

/** What of the answer for many deliveries concerns one of them. */
function within(received: Received, news: readonly InboxMessage[]): Received {
  const own = new Map<string, readonly string[]>();
  for (const { source, route } of news) {
    const workspaces = received.get(placeOfRoute(source, route));
    if (workspaces !== undefined) own.set(route, workspaces);
  }
  return own;
}

/** Names the row of a route, and binds its sealed secret to it. */
export function placeOfRoute(source: InboxSource, route: string): string {
  return `inbound_routes ${source} ${route}`;
}
