import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { migrations } from '#migrations/index.js';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { migrateToLatest } from '#src/platform/database/migrate.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { dividedTables, divideTable } from '#test/support/divided-tables.js';
import { query } from '#test/support/ledger-checks.js';
import { type RedisGroup, startRedisCluster, startRedisSentinel } from '#test/support/redis-group.js';
import { appendOnlyIn, type RedisServer, startRedis } from '#test/support/redis-server.js';
import { testSettings } from '#test/support/running-service.js';
import { FaultyProcess, type FiredFailpoint, type ProcessListener } from './faulty-process.js';
import { PostgresServer } from './postgres-server.js';
import { TcpProxy } from './tcp-proxy.js';

export type Backend = 'postgres' | 'redis';

/** FAULT_REDIS=cluster or sentinel: the queue's Redis is such a group. Its connections are not disturbed. */
const redisGroups: Readonly<Record<string, () => Promise<RedisGroup | null>>> = {
  cluster: startRedisCluster,
  sentinel: startRedisSentinel,
};
const startGroup = redisGroups[process.env['FAULT_REDIS'] ?? ''];
/** FAULT_PARTITIONS=1: the tables are divided as docs/growing.md describes. */
const hasPartitions = process.env['FAULT_PARTITIONS'] === '1';

interface Lines {
  readonly database: TcpProxy;
  readonly redis: TcpProxy | null;
}

/**
 * Two API and two worker processes with their own servers. Their connections pass through proxies that can disturb
 * them.
 */
export class Fleet implements ProcessListener {
  readonly apis: readonly FaultyProcess[];
  readonly workers: readonly FaultyProcess[];
  readonly fired: FiredFailpoint[] = [];
  private readonly restarts = new Set<Promise<unknown>>();
  private isStopping = false;
  private postgresIsBack: Promise<void> = Promise.resolve();

  private constructor(
    readonly backend: Backend,
    readonly postgres: PostgresServer,
    private redis: RedisServer | null,
    private readonly redisFolder: string | null,
    private readonly group: RedisGroup | null,
    private readonly lines: ReadonlyMap<string, Lines>,
    private readonly direct: Database,
  ) {
    const make = (name: string, kind: 'api' | 'worker') =>
      new FaultyProcess(name, kind, this.environmentOf(name), this);
    this.apis = ['api-1', 'api-2'].map((name) => make(name, 'api'));
    this.workers = ['worker-1', 'worker-2'].map((name) => make(name, 'worker'));
  }

  /** Returns null if the backend needs redis-server and it is not installed; with CI set that is an error. */
  static async start(backend: Backend): Promise<Fleet | null> {
    const group = backend === 'redis' ? await startGroup?.() : undefined;
    const needsRedis = backend === 'redis' && group === undefined;
    const redisFolder = needsRedis ? await mkdtemp(path.join(tmpdir(), 'commissions-redis-')) : null;
    const redis = redisFolder === null ? null : await startRedis(undefined, appendOnlyIn(redisFolder));
    if (group === null || (redisFolder !== null && redis === null)) return null;
    const postgres = await PostgresServer.start();
    await migrateToLatest(postgres.ownerUrl, migrations);
    if (hasPartitions) for (const table of dividedTables) await divideTable(postgres.ownerUrl, table);
    const lines = new Map<string, Lines>();
    for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2']) {
      const database = await TcpProxy.to(postgres.port);
      lines.set(name, { database, redis: redis === null ? null : await TcpProxy.to(redis.port) });
    }
    const direct = createDatabase({ url: postgres.appUrl, size: 2, onError: () => undefined });
    const fleet = new Fleet(backend, postgres, redis, redisFolder, group ?? null, lines, direct);
    try {
      await Promise.all(fleet.processes.map((process) => process.start()));
    } catch (error) {
      // Otherwise the processes would be restarted for as long as the tests run.
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  get processes(): readonly FaultyProcess[] {
    return [...this.apis, ...this.workers];
  }

  /** Whether all other processes of its kind serve. */
  hasTwin(process: FaultyProcess): boolean {
    const kind = this.apis.includes(process) ? this.apis : this.workers;
    return kind.every((one) => one === process || one.isServing);
  }

  linesOf(process: FaultyProcess): Lines {
    return this.lines.get(process.name) as Lines;
  }

  private environmentOf(name: string): NodeJS.ProcessEnv {
    const { database, redis } = this.lines.get(name) as Lines;
    const [url, ownerUrl] = [new URL(this.postgres.appUrl), new URL(this.postgres.ownerUrl)];
    for (const each of [url, ownerUrl]) each.port = String(database.port);
    return {
      DATABASE_URL: url.href,
      DATABASE_OWNER_URL: ownerUrl.href,
      ...(redis === null ? this.group?.settings : { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
      DATABASE_POOL_SIZE: '6',
      ...testSettings,
    };
  }

  createWorkspace(name: string): Promise<{ workspaceId: string; apiKey: string }> {
    const terms = { tier: 'enterprise', currency: 'USD', timezone: 'UTC' } as const;
    return createWorkspace(new UnitOfWork(this.direct), { name, ...terms });
  }

  onFired(process: FaultyProcess, fired: FiredFailpoint): void {
    this.fired.push(fired);
    if (fired.fault === 'kill') this.untilRestarted(process.ended());
    if (fired.fault !== 'drop') return;
    const { database, redis } = this.linesOf(process);
    database.cut();
    redis?.cut();
    process.resume();
  }

  /** Restarts an ended process until it runs, as a supervisor does. */
  onExit(process: FaultyProcess): void {
    if (this.isStopping) return;
    this.untilRestarted(this.restart(process));
  }

  /** Steps that must complete before all processes run again. */
  private untilRestarted(step: Promise<unknown>): void {
    const tracked = step.finally(() => this.restarts.delete(tracked));
    this.restarts.add(tracked);
  }

  private async restart(process: FaultyProcess): Promise<void> {
    if (process.isRunning) return;
    // A failed start calls onExit again, which retries. Without a database every start would fail.
    await this.postgresIsBack;
    await sleep(20);
    if (!this.isStopping) await process.start().catch(() => sleep(100));
  }

  killPostgres(downMs: number): Promise<void> {
    this.postgresIsBack = (async () => {
      await this.postgres.kill();
      await sleep(downMs);
      await this.postgres.restart();
    })();
    return this.postgresIsBack;
  }

  /**
   * Kills and restarts the queue's Redis, which has an append-only file. Does nothing if the queue is on PostgreSQL. Of
   * servers with sentinels the first master stays lost.
   */
  async killRedis(downMs: number): Promise<void> {
    if (this.group?.settings['REDIS_MODE'] === 'sentinel') await this.group.servers[0]?.stop();
    if (this.redis === null || this.redisFolder === null) return;
    await this.redis.stop();
    await sleep(downMs);
    this.redis = await startRedis(this.redis.port, appendOnlyIn(this.redisFolder));
  }

  async flushRedis(): Promise<void> {
    if (this.redis === null) return;
    const client = new Redis(this.redis.url);
    await client.flushall();
    client.disconnect();
  }

  /**
   * Expires all leases: another process may take the work of a killed one, and a process that still works detects
   * the loss. Waiting for the expiry would cost every episode 15 seconds.
   */
  async endLeases(): Promise<void> {
    const { ownerUrl } = this.postgres;
    await query(ownerUrl, 'update work_leases set leased_until = now() where leased_until > now()');
  }

  /**
   * Ends the pauses between attempts to deliver events, as if hours had passed. Deliveries that have used this number of
   * attempts keep their pause: after the last attempt their endpoint would be disabled.
   */
  async endPauses(workspaceIds: readonly string[], maxAttempts = 1000): Promise<void> {
    const { ownerUrl } = this.postgres;
    const values = [workspaceIds, maxAttempts];
    await query(
      ownerUrl,
      `update webhook_deliveries set not_before = now()
       where workspace_id = any($1) and status = 'pending' and not_before > now() and attempts < $2`,
      values,
    );
    await query(
      ownerUrl,
      `update webhook_endpoints e set not_before = now()
       where workspace_id = any($1) and not_before > now() and not exists (
         select from webhook_deliveries d where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id
           and d.status = 'pending' and d.attempts >= $2)`,
      values,
    );
    await query(
      ownerUrl,
      'update crm_write_backs set not_before = now() where workspace_id = any($1) and not_before > now()',
      [workspaceIds],
    );
  }

  /** Ends every fault and waits until all processes run. */
  async heal(): Promise<void> {
    for (const { database, redis } of this.lines.values()) for (const line of [database, redis]) line?.heal();
    await this.untilAllRun();
    await Promise.all(this.processes.map((process) => process.disarm()));
    await this.untilAllRun();
    await this.endLeases();
  }

  private async untilAllRun(): Promise<void> {
    while (this.restarts.size > 0) await Promise.all(this.restarts);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.processes.map((process) => process.kill()));
    await Promise.all(this.restarts);
    await Promise.all(this.processes.map((process) => process.kill()));
    await this.direct.destroy();
    for (const { database, redis } of this.lines.values()) for (const line of [database, redis]) await line?.close();
    await this.postgres.stop();
    await this.redis?.stop();
    await this.group?.stop();
    if (this.redisFolder !== null) await rm(this.redisFolder, { recursive: true, force: true });
  }
}
