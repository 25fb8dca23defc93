import { expect } from 'chai';
import pg from 'pg';
import { listCommissionEvents } from '#src/commissions/queries/list-commission-events.js';
import { listDealChanges } from '#src/deals/queries/list-deal-changes.js';
import { newId } from '#src/kernel/ids.js';
import { appSessionOptions } from '#src/platform/database/pool.js';
import { type OfflineWorkspace } from '#test/support/offline-workspace.js';
import { Random } from '#test/support/random.js';

/** The keys of rows; each is changed by one open transaction at a time, as locks of rows would have it. */
const keyCount = 8;

interface Copy {
  readonly rows: Map<string, string>;
  cursor: string | undefined;
}

interface Page {
  readonly rows: readonly (readonly [key: string, row: string])[];
  readonly deleted: readonly string[];
  readonly nextCursor: string;
  readonly more: boolean;
}

type ReadPage = (workspace: OfflineWorkspace, query: object) => Promise<Page>;

const readEvents: ReadPage = async (workspace, query) => {
  const page = await workspace.run(listCommissionEvents, { query });
  return {
    ...page,
    rows: page.events.map((event: { eventId: string }) => [event.eventId, JSON.stringify(event)]),
    deleted: page.deleted.map(({ eventId }: { eventId: string }) => eventId),
  };
};
const readDeals: ReadPage = async (workspace, query) => {
  const page = await workspace.run(listDealChanges, { query });
  return {
    ...page,
    rows: page.deals.map((deal: { deal_id: string }) => [deal.deal_id, JSON.stringify(deal)]),
    deleted: page.deleted.map((deal: { deal_id: string }) => deal.deal_id),
  };
};

async function readOn(workspace: OfflineWorkspace, read: ReadPage, copy: Copy, limit: number): Promise<boolean> {
  const page = await read(workspace, { limit: String(limit), ...(copy.cursor && { cursor: copy.cursor }) });
  for (const [key, row] of page.rows) copy.rows.set(key, row);
  for (const key of page.deleted) copy.rows.delete(key);
  copy.cursor = page.nextCursor;
  return page.more;
}

/** A writer with a transaction that stays open for some steps. */
class Writer {
  private open: readonly string[] | null = null;
  private touched: string[] = [];

  constructor(
    private readonly client: pg.Client,
    private readonly workspaceId: string,
    private readonly repId: string,
  ) {}

  get keys(): readonly string[] {
    return this.touched;
  }

  async step(random: Random, free: readonly string[]): Promise<void> {
    if (this.open === null) {
      await begin(this.client, this.workspaceId);
      this.open = [];
    }
    if (random.below(3) === 0) return this.end(random.below(4) === 0 ? 'rollback' : 'commit');
    const [key] = [random.of([...free, ...this.touched])];
    if (key === undefined) return;
    this.touched.push(key);
    await (random.below(2) === 0 ? this.changeDeal(random, key) : this.changeEvent(random, key));
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.open !== null) await this.client.query(how);
    this.open = null;
    this.touched = [];
  }

  private async changeDeal(random: Random, key: string): Promise<void> {
    const id = [this.workspaceId, key];
    if (random.below(3) === 0)
      await this.client.query('delete from deals where workspace_id = $1 and deal_id = $2', id);
    else
      await this.client.query(
        `insert into deals (workspace_id, deal_id, amount, content_hash) values ($1, $2, $3, gen_random_uuid())
         on conflict (workspace_id, deal_id) do update set amount = excluded.amount`,
        [...id, random.below(1000)],
      );
  }

  /** Each change of an event is in the history, as the service does it. */
  private async changeEvent(random: Random, key: string): Promise<void> {
    const id = [this.workspaceId, this.repId, key];
    const recordOf = (change: string) =>
      `insert into commission_event_history (workspace_id, rep_id, event_id, revision, change, kind, status, category, amount,
         credit, currency, period, earned_on, idempotency_key)
       select workspace_id, rep_id, event_id, revision, ${change}, kind, status, category, amount, credit, currency, period,
         earned_on, idempotency_key from changed`;
    if (random.below(3) === 0)
      await this.client.query(
        `with changed as (delete from commission_events where workspace_id = $1 and rep_id = $2 and event_id = $3
           returning (jsonb_populate_record(commission_events, jsonb_build_object('revision', revision + 1))).*)
         ${recordOf("'deleted'")}`,
        id,
      );
    else
      await this.client.query(
        `with changed as (
           insert into commission_events (workspace_id, rep_id, event_id, kind, status, category, amount, currency, period,
             earned_on, idempotency_key, revision)
           values ($1, $2, $3, 'adjustment', 'earned', 'adjustment', $4, 'USD', '2026-03', '2026-03-01', gen_random_uuid(),
             1 + (select coalesce(max(revision), 0) from commission_event_history where event_id = $3::uuid))
           on conflict (workspace_id, rep_id, event_id) do update set amount = excluded.amount, updated_at = now(),
             revision = excluded.revision
           returning *)
         ${recordOf("case revision when 1 then 'inserted' else 'changed' end")}`,
        [...id, random.below(1000)],
      );
  }
}

/** Begins as the service does: a transaction that declares what it affects locks no version of a cache. */
export async function begin(client: pg.Client, workspaceId: string): Promise<void> {
  await client.query('begin');
  await client.query(
    `select set_config('app.workspace_id', $1, true), set_config('app.declares_affected', 'on', true)`,
    [workspaceId],
  );
}

/** Connections of three writers, which every world of a suite uses. */
export async function connectWriters(appUrl: string): Promise<pg.Client[]> {
  return Promise.all(
    [1, 2, 3].map(async () => {
      const client = new pg.Client({ connectionString: appUrl, options: appSessionOptions });
      await client.connect();
      return client;
    }),
  );
}

/** Transactions write, end and are rolled back in a random order, while a reader follows both feeds page by page. */
export async function expectCompleteCopies(
  workspace: OfflineWorkspace,
  clients: readonly pg.Client[],
  seed: number,
): Promise<void> {
  const random = new Random(seed);
  const repId = await workspace.insert.rep('Ann');
  const writers = clients.map((client) => new Writer(client, workspace.workspaceId, repId));
  const keys = Array.from({ length: keyCount }, () => newId());
  const copies = { events: newCopy(), deals: newCopy() };
  for (let step = 0; step < 30; step += 1) {
    const writer = random.of(writers);
    const taken = writers.flatMap((one) => one.keys);
    await writer.step(
      random,
      keys.filter((key) => !taken.includes(key)),
    );
    if (random.below(3) === 0) await readOn(workspace, readEvents, copies.events, 1 + random.below(3));
    if (random.below(3) === 0) await readOn(workspace, readDeals, copies.deals, 1 + random.below(3));
  }
  for (const writer of writers) await writer.end('commit');
  for (const [copy, read] of [
    [copies.events, readEvents],
    [copies.deals, readDeals],
  ] as const) {
    while (await readOn(workspace, read, copy, 2));
    const fresh = newCopy();
    while (await readOn(workspace, read, fresh, 500));
    expect(sorted(copy), `seed ${seed}`).to.deep.equal(sorted(fresh));
  }
  const [stored] = await workspace.db.sql<{ events: number; deals: number }>(
    `select (select count(*)::int from commission_events where workspace_id = $1) as events,
       (select count(*)::int from deals where workspace_id = $1) as deals`,
    workspace.workspaceId,
  );
  expect({ events: copies.events.rows.size, deals: copies.deals.rows.size }, `seed ${seed}`).to.deep.equal(stored);
}

const newCopy = (): Copy => ({ rows: new Map(), cursor: undefined });
const sorted = ({ rows }: Copy) => [...rows].sort();
