import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { failpoints } from '#src/app/failpoints.js';
import { chunk } from '#src/kernel/chunk.js';
import { query } from '#test/support/ledger-checks.js';
import { bundledCommand } from '#test/support/service-bundle.js';
import { backendOf, commitNumber } from './harness/commit-choice.js';
import { quiescence } from './harness/episode.js';
import { EpisodeWorld } from './harness/episode-world.js';
import { type Backend, Fleet } from './harness/fleet.js';
import { assertInvariants } from './harness/invariants.js';
import { SeededRandom } from './harness/seeded-random.js';
import { TcpProxy } from './harness/tcp-proxy.js';
import { timeoutScale } from './harness/timeout-scale.js';
import { paths, Scenario } from './scenarios.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const faults = ['throw', 'kill', 'drop'] as const;
/** On an idle machine the sweep replaces a lost wake-up within ten seconds. */
const firesWithinMs = 30_000 * timeoutScale;
/** A process that is past the failpoint may include the new work, so the scenario is repeated up to this number. */
const maxAttempts = 3;
/** This many faults share one wait for quiescence and one check of the invariants. */
const placesPerCheck = 10;
/**
 * FAULT_MATRIX=all runs every failpoint with every fault. Otherwise each failpoint runs with one fault, which
 * changes with the commit.
 */
const isWhole = process.env['FAULT_MATRIX'] === 'all';
const rotation = isWhole ? 0 : commitNumber;
const backends: readonly Backend[] =
  isWhole && process.env['FAULT_BACKEND'] === undefined ? ['postgres', 'redis'] : [backendOf('failpoints')];

describe('failpoints', () => {
  it('are each called at exactly one place in the sources', () => {
    const texts = ['src', 'workers'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(path.join(root, folder, name), 'utf8')),
    );
    const called = texts.flatMap((text) => [...text.matchAll(/failpoint\('([\w.]+)'\)/g)].map(([, name]) => name));
    expect(called.sort()).to.deep.equal([...failpoints].sort());
  });

  for (const backend of backends) {
    describe(`with the queue on ${backend}`, function () {
      this.timeout(300_000 * timeoutScale);
      let fleet: Fleet;
      let world: EpisodeWorld;
      let scenario: Scenario;

      before(async function () {
        const started = await Fleet.start(backend);
        if (started === null) {
          process.stderr.write(`SKIPPED: failpoints on ${backend}, because redis-server is not installed\n`);
          this.skip();
        }
        fleet = started;
        world = await EpisodeWorld.create(fleet, 'Failpoints', SeededRandom.named(1, 'failpoints'), {
          crm: 'delivers and is synced',
          deliveries: [],
        });
        scenario = new Scenario(fleet, world);
        await scenario.startScheduledImport();
      });
      after(async () => {
        await scenario?.stop();
        await fleet?.stop();
        await world?.stop();
      });

      const places = Object.keys(paths) as (keyof typeof paths)[];
      const cells = places.flatMap((place, index) =>
        (isWhole ? faults : [faults[(index + rotation) % 3] as string]).map((fault) => ({ place, fault })),
      );
      for (const some of chunk(cells, placesPerCheck)) {
        it(`converges after ${some.map(({ place, fault }) => `${fault} at ${place}`).join(', ')}`, async () => {
          for (const { place, fault } of some) await failAt(place, fault);
          await quiescence(fleet, [world]);
          await assertInvariants(fleet, world);
          await scenario.assertPaidOnce();
        });
      }

      async function failAt(place: keyof typeof paths, fault: string): Promise<void> {
        const { of, walk, first } = paths[place];
        fleet.fired.length = 0;
        const armed = of === 'apis' ? fleet.apis.slice(0, 1) : fleet.workers;
        // Other pending work could meet the first fault, and not reach the place.
        if (first !== undefined) await quiescence(fleet, [world]);
        for (const process of armed) process.arm(`${place}@1=${fault}`);
        let attempts = 0;
        do {
          if (attempts === maxAttempts)
            throw new Error(`failpoint ${place} was not reached in ${maxAttempts} attempts`);
          attempts += 1;
          for (const process of armed) process.arm(first ?? '');
          await walk(scenario);
        } while (!(await hasFired(place)));
        await fleet.heal();
        // An export fails finally after five failures, so it must complete before the next fault.
        if (place.startsWith('export.')) await quiescence(fleet, [world], performance.now() + firesWithinMs);
      }

      async function hasFired(place: string): Promise<boolean> {
        const deadline = performance.now() + firesWithinMs;
        while (performance.now() < deadline) {
          if (fleet.fired.some(({ failpoint }) => failpoint === place)) return true;
          await sleep(10);
        }
        return false;
      }

      it('pays a payout batch once, whatever kills the process while it is created or marked as paid', async () => {
        const places = Object.keys(paths).filter((place) => place.startsWith('payout.')) as (keyof typeof paths)[];
        for (const place of places) {
          await failAt(place, 'kill');
          await scenario.assertPaidOnce();
        }
        const { database } = fleet.linesOf(fleet.apis[0] as (typeof fleet.apis)[number]);
        for (let month = 0; month < 2; month += 1) {
          database.loseReplyTo(/update "payout_batches"/i);
          await scenario.pay();
        }
        await fleet.heal();
        await scenario.assertPaidOnce();
      });

      it('pays an adjustment with an idempotency key once although the reply to its commit is lost', async () => {
        const { database } = fleet.linesOf(fleet.apis[0] as (typeof fleet.apis)[number]);
        const before = database.sprung;
        // The first commit stores the idempotency key, the second one the adjustment.
        for (let round = 0; round < 4; round += 1) {
          database.loseReplyTo(round % 2 === 0 ? /^Q.{4}commit/s : /insert into commission_events/i);
          await scenario.adjust();
        }
        expect(database.sprung).to.be.greaterThan(before);
        await fleet.heal();
        await quiescence(fleet, [world]);
        await assertInvariants(fleet, world);
      });

      it('delivers events whose workers were killed before the receiver responded, and those behind them', async () => {
        for (const { receiver } of world.receivers) receiver.mode = 'hangs';
        const known = world.receivers.map(({ receiver }) => new Set(receiver.ids()));
        const inFlight = () =>
          world.receivers.map(({ receiver }, place) => receiver.ids().filter((id) => !known[place]?.has(id)));
        for (let deal = 0; deal < 3; deal += 1) await scenario.putDeal();
        while (inFlight().some((ids) => ids.length === 0)) await sleep(10);
        const sent = inFlight();
        for (let deal = 0; deal < 6; deal += 1) await scenario.putDeal();
        for (const process of fleet.workers) await process.kill();
        for (const { receiver } of world.receivers) receiver.recover();
        await fleet.heal();
        await quiescence(fleet, [world]);
        await assertInvariants(fleet, world);
        for (const [place, { receiver }] of world.receivers.entries())
          for (const id of sent[place] ?? [])
            expect(receiver.ids().filter((one) => one === id).length).to.be.greaterThan(1);
      });

      it('keeps a process running whose database connections are cut', async () => {
        const [api] = fleet.apis as [(typeof fleet.apis)[number]];
        const { pid } = api;
        for (let round = 0; round < 5; round += 1) {
          api.arm('change.beforeCommit@1=drop');
          await scenario.putDeal();
        }
        expect(api.pid).to.equal(pid);
      });

      it('processes inbox messages whose jobs were lost with their workers before the queue detects the loss', async () => {
        // Loses the job of the wake-up, then the job of the sweep.
        for (let lost = 0; lost < 2; lost += 1) await failAt('lease.beforeTake', 'kill');
        await quiescence(fleet, [world]);
        await assertInvariants(fleet, world);
      });

      it('releases the lane of a vanished machine within ten seconds', async () => {
        const [worker, other] = fleet.workers as [(typeof fleet.workers)[number], (typeof fleet.workers)[number]];
        await other.kill();
        await fleet.heal();
        for (const process of fleet.workers) process.arm('lane.beforeCommit@1=delay:5000');
        fleet.fired.length = 0;
        await scenario.putDeal();
        while (fleet.fired.length === 0) await sleep(10);
        for (const process of [worker, other]) fleet.linesOf(process).database.loseClient();
        for (const process of [worker, other]) await process.kill();
        await fleet.heal();
        await quiescence(fleet, [world]);
        await assertInvariants(fleet, world);
      });

      it('completes a migration that was killed between two statements at the next start', async () => {
        const { superuserUrl, ownerUrl } = fleet.postgres;
        await query(superuserUrl, 'create database again owner commissions');
        const again = new URL(ownerUrl);
        again.pathname = '/again';
        for (const statement of [1, 9, 40, 90])
          expect(await migrate(again.href, `migrate.statement@${statement}=kill`)).to.equal('SIGKILL');
        expect(await migrate(again.href, '')).to.equal(0);
        expect(await schemaOf(again.href)).to.deep.equal(await schemaOf(ownerUrl));
        await query(superuserUrl, 'drop database again with (force)');
      });

      it('delays other starts by seconds when a machine vanishes during a migration', async () => {
        await Promise.all(['migrate.statement@40', 'migrate.queue@1'].map(expectMigrationAfterLossAt));
      });

      async function expectMigrationAfterLossAt(place: string): Promise<void> {
        const { superuserUrl, ownerUrl, port } = fleet.postgres;
        const name = place.replace(/\W/g, '_');
        await query(superuserUrl, `create database ${name} owner commissions`);
        const line = await TcpProxy.to(port);
        const [half, through] = [new URL(ownerUrl), new URL(ownerUrl)];
        half.pathname = through.pathname = `/${name}`;
        through.port = String(line.port);
        const lost = await startMigration(through.href, `${place}=delay:60000`);
        const [output] = await once(lost.stderr, 'data');
        expect(String(output)).to.include('failpoint');
        line.loseClient();
        lost.kill('SIGKILL');
        expect(await migrate(half.href, '')).to.equal(0);
        await line.close();
        await query(superuserUrl, `drop database ${name} with (force)`);
      }
    });
  }
});

/** Runs `commissions migrate` and returns its exit code or signal. */
async function migrate(url: string, armed: string): Promise<number | string | null> {
  const child = await startMigration(url, armed);
  child.stderr.resume();
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

async function startMigration(url: string, armed: string): Promise<ChildProcessByStdio<null, null, Readable>> {
  return spawn(process.execPath, [await bundledCommand(), 'migrate'], {
    env: { ...process.env, DATABASE_URL: url, NODE_ENV: 'test', FAILPOINTS: armed },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function schemaOf(url: string): Promise<object[]> {
  return query(
    url,
    `select table_name as name, column_name || ' ' || data_type as part from information_schema.columns where table_schema = 'public'
    union all select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
    union all select indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select tablename, policyname from pg_policies where schemaname = 'public' order by 1, 2`,
  );
}
