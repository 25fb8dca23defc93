import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type DebianPostgres,
  ownedDatabase,
  startDebianPostgres15,
  startStandby,
} from '#test/support/debian-postgres.js';
import { query } from '#test/support/ledger-checks.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { MovingAddress } from '#test/support/moving-address.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { databaseOf, readingAllWorkspaces } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const writers = 4;

/** How long the stream to the standby stalls before the primary is killed. */
const stallMs = 1000;

describe('a failover while the stream to the standby stalls', () => {
  it('loses no acknowledged write with a synchronous standby', async function () {
    expect(await lostInFailover(this, '*')).to.equal(0);
  });

  it('loses none where DATABASE_URL names both servers, and nothing moves an address', async function () {
    expect(await lostInFailover(this, '*', { namesBoth: true })).to.equal(0);
  });

  it('loses writes with an asynchronous standby, and the drill finds them', async function () {
    expect(await lostInFailover(this, '')).to.be.above(0);
  });

  /** The number of acknowledged deals that the promoted standby lacks. The processes must continue by themselves. */
  async function lostInFailover(
    context: Mocha.Context,
    synchronous: string,
    { namesBoth = false } = {},
  ): Promise<number> {
    const primary = await startDebianPostgres15(['synchronous_commit=on']);
    if (primary === undefined) return context.skip();
    const stops: (() => Promise<unknown>)[] = [() => primary.stop()];
    try {
      const direct = await ownedDatabase(primary.superuserUrl);
      await migrateTestDatabase(direct.ownerUrl);
      const standby = await startStandby(primary);
      stops.push(() => standby.stop());
      for (const statement of [
        `alter system set synchronous_standby_names = '${synchronous}'`,
        'select pg_reload_conf()',
      ])
        await query(primary.superuserUrl, statement);
      const streams = () => query(primary.superuserUrl, 'select pid, sync_state from pg_stat_replication');
      const state = synchronous === '' ? 'async' : 'sync';
      await until(async () => (await streams()).some(({ sync_state: is }) => is === state));
      const address = await MovingAddress.before(portOf(primary.superuserUrl));
      stops.push(() => address.stop());
      const [ownerUrl, appUrl] = [direct.ownerUrl, direct.appUrl].map((url) => withPort(url, address.port)) as [
        string,
        string,
      ];
      const both = (url: string) => withHosts(url, [standby, primary]);
      const urls = { DATABASE_URL: both(direct.appUrl), DATABASE_OWNER_URL: both(direct.ownerUrl) };
      const service = await ServiceProcesses.start({
        processes: ['api', 'worker'],
        settings: { RATE_LIMIT_PER_MINUTE: '1000000', ...(namesBoth ? urls : {}) },
        database: databaseOf({ ownerUrl, appUrl }),
      });
      stops.unshift(() => service.stop());
      const { api, workspaceId } = await service.workspace();
      await saveSimpleTerms(api, ['ann']);

      const acknowledged: string[] = [];
      let [killedAt, firstAfter, stopping] = [0, 0, false];
      const write = async (writer: number) => {
        for (let n = 0; !stopping; n += 1) {
          const dealId = `D-${writer}-${n}`;
          const deal = { amount: 100, closeDate: '2026-02-03', ownerId: 'ann' };
          const status = await api.put(`/v1/deals/${dealId}`, deal).then(
            (response) => response.status,
            () => 0,
          );
          if (status !== 200 && status !== 201) {
            await sleep(50);
            continue;
          }
          acknowledged.push(dealId);
          if (killedAt > 0 && firstAfter === 0) firstAfter = Date.now();
        }
      };
      const writing = Array.from({ length: writers }, (_, writer) => write(writer));
      await until(async () => acknowledged.length >= 100);
      for (const { pid } of await streams()) process.kill(pid, 'SIGSTOP');
      await sleep(stallMs);
      const before = acknowledged.length;
      primary.signal('SIGKILL');
      killedAt = Date.now();
      await query(standby.superuserUrl, 'select pg_promote()');
      await query(standby.superuserUrl, `alter system set synchronous_standby_names = ''`);
      await query(standby.superuserUrl, 'select pg_reload_conf()');
      address.moveTo(portOf(standby.superuserUrl));
      await until(async () => acknowledged.length >= before + 100);
      stopping = true;
      await Promise.all(writing);

      const promoted = readingAllWorkspaces(withPort(direct.ownerUrl, portOf(standby.superuserUrl)));
      const rows = await query(promoted, 'select deal_id from deals where workspace_id = $1', [workspaceId]);
      const stored = new Set(rows.map(({ deal_id: id }) => id));
      const lost = acknowledged.filter((id) => !stored.has(id));
      console.log(
        `        ${state}, lost: ${lost.length === 0 ? 'nothing' : lost.length} of ${acknowledged.length} acknowledged`,
      );
      console.log(`        first write after ${firstAfter - killedAt} ms`);
      await service.waitForCalculations(workspaceId);
      await service.expectSoundLedger(workspaceId);
      return lost.length;
    } finally {
      for (const stop of stops) await stop();
    }
  }
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function withHosts(url: string, servers: readonly DebianPostgres[]): string {
  const hosts = servers.map(({ superuserUrl }) => new URL(superuserUrl).host);
  return url.replace(new URL(url).host, hosts.join(','));
}

function withPort(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}
