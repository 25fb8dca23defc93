import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { freePort } from '#test/support/free-port.js';
import { query } from '#test/support/ledger-checks.js';
import { serverFolder } from '#test/support/server-folder.js';
import { readingAllWorkspaces } from '#test/support/test-database.js';

/**
 * Settings against power cuts, which `kill -9` is not: the system keeps what a killed server has written. Commits stay
 * synchronous, because a killed server loses what it has not written.
 */
const againstPowerCuts = ['fsync', 'full_page_writes'];

/** A PostgreSQL that survives `kill -9`. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    readonly port: number,
    private server: EmbeddedPostgres,
  ) {}

  static async start(): Promise<PostgresServer> {
    // The name matches the folders that later test runs remove if this one was killed.
    const folder = await mkdtemp(path.join(serverFolder, `commissions-test-${process.pid}-faults-`));
    const port = await freePort();
    const server = await startEmbeddedPostgres({ dataDir: folder, port });
    for (const setting of againstPowerCuts) await query(server.superuserUrl, `alter system set ${setting} = off`);
    await query(server.superuserUrl, 'select pg_reload_conf()');
    return new PostgresServer(folder, port, server);
  }

  get ownerUrl(): string {
    return readingAllWorkspaces(this.server.ownerUrl);
  }

  get appUrl(): string {
    return this.server.appUrl;
  }

  get superuserUrl(): string {
    return this.server.superuserUrl;
  }

  async kill(): Promise<void> {
    const postmaster = Number(
      (await readFile(path.join(this.server.dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0],
    );
    process.kill(postmaster, 'SIGKILL');
    while (isAlive(postmaster)) await sleep(5);
    await this.server.stop();
  }

  async restart(): Promise<void> {
    this.server = await startEmbeddedPostgres({ dataDir: this.folder, port: this.port });
  }

  log(): Promise<string> {
    return readFile(path.join(this.folder, 'postgres.log'), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    const { dataDir } = this.server;
    await this.server.stop();
    for (const place of [dataDir, this.folder]) await rm(place, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
