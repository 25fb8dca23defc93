import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { chunk } from '#src/kernel/chunk.js';
import { failpoints } from '#src/platform/failpoint.js';
import { query } from '../support/ledger-checks.js';
import { quiescence } from './harness/episode.js';
import { EpisodeWorld } from './harness/episode-world.js';
import { type Backend, Fleet } from './harness/fleet.js';
import { assertInvariants } from './harness/invariants.js';
import { patience } from './harness/patience.js';
import { SeededRandom } from './harness/seeded-random.js';
import { TcpProxy } from './harness/tcp-proxy.js';
import { paths, Scenario } from './scenarios.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const faults = ['throw', 'kill', 'drop'] as const;
/** A wake that is lost is made up for within ten seconds on a quiet machine. */
const firesWithinMs = 30_000 * patience;
/** Who works already, and is past the place, may take along what leads there: then it is done again. */
const mostWalks = 3;
/** So many faults share one wait for quiet and one reckoning. */
const placesPerReckoning = 10;
/** Everything in the nightly run; else each place with one fault, another one with the next commit. */
const isWhole = process.env['FAULT_MATRIX'] === 'all';
const rotation = isWhole ? 0 : commitNumber();

function commitNumber(): number {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).slice(0, 6), 16);
  } catch {
    // A copy without history always takes the same turn.
    return 0;
  }
}

describe('failpoints', () => {
  it('have one place each in the sources', () => {
    const texts = ['src', 'workers'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(path.join(root, folder, name), 'utf8')),
    );
    const called = texts.flatMap((text) => [...text.matchAll(/failpoint\('([\w.]+)'\)/g)].map(([, name]) => name));
    expect(called.sort()).to.deep.equal([...failpoints].sort());
  });

  const all: readonly Backend[] = ['postgres', 'redis'];
  const chosen = all.filter((backend) => backend === process.env['FAULT_BACKEND']);
  const turn = isWhole ? all : [all[rotation % 2] as Backend];
  for (const backend of chosen.length > 0 ? chosen : turn) {
    describe(`with the queue on ${backend}`, function () {
      this.timeout(300_000);
      let fleet: Fleet;
      let world: EpisodeWorld;
      let scenario: Scenario;

      before(async function () {
        const started = await Fleet.start(backend);
        if (started === null) {
          process.stderr.write(`SKIPPED: no redis-server is installed, so no failpoints on ${backend}\n`);
          this.skip();
        }
        fleet = started;
        world = await EpisodeWorld.create(fleet, 'Failpoints', SeededRandom.named(1, 'failpoints'), {
          crm: 'delivers and is synced',
          deliveries: [],
        });
        scenario = new Scenario(fleet, world);
      });
      after(async () => {
        await fleet?.stop();
        await world?.crm?.stop();
      });

      const places = Object.keys(paths) as (keyof typeof paths)[];
      const cells = places.flatMap((place, index) =>
        (isWhole ? faults : [faults[(index + rotation) % 3] as string]).map((fault) => ({ place, fault })),
      );
      for (const some of chunk(cells, placesPerReckoning)) {
        it(`converges after ${some.map(({ place, fault }) => `${fault} at ${place}`).join(', ')}`, async () => {
          for (const { place, fault } of some) await failAt(place, fault);
          await quiescence(fleet, [world]);
          await assertInvariants(fleet, world);
        });
      }

      async function failAt(place: keyof typeof paths, fault: string): Promise<void> {
        const { of, walk, first } = paths[place];
        fleet.fired.length = 0;
        const armed = of === 'apis' ? fleet.apis.slice(0, 1) : fleet.workers;
        for (const process of armed)
          process.arm([...(first === undefined ? [] : [first]), `${place}@1=${fault}`].join());
        let walks = 0;
        do {
          if (walks === mostWalks) throw new Error(`${place} was not reached`);
          walks += 1;
          await walk(scenario);
        } while (!(await hasFired(place)));
        await fleet.heal();
        // Five faults of other places are too many for one document: it would be given up, and rightly.
        if (place.startsWith('document.')) await quiescence(fleet, [world], performance.now() + firesWithinMs);
      }

      async function hasFired(place: string): Promise<boolean> {
        const deadline = performance.now() + firesWithinMs;
        while (performance.now() < deadline) {
          if (fleet.fired.some(({ failpoint }) => failpoint === place)) return true;
          await sleep(10);
        }
        return false;
      }

      it('a sum with a key is paid once though the answer to its commit is lost', async () => {
        const { database } = fleet.linesOf(fleet.apis[0] as (typeof fleet.apis)[number]);
        const before = database.sprung;
        // The first commit is the claim of the key, the second one the sum.
        for (let round = 0; round < 4; round += 1) {
          database.loseReplyTo(round % 2 === 0 ? /^Q.{4}commit/s : /insert into commission_events/i);
          await scenario.adjust();
        }
        expect(database.sprung).to.be.greaterThan(before);
        await fleet.heal();
        await quiescence(fleet, [world]);
        await assertInvariants(fleet, world);
      });

      it('a process whose connections are cut lives on', async () => {
        const [api] = fleet.apis as [(typeof fleet.apis)[number]];
        const { pid } = api;
        for (let round = 0; round < 5; round += 1) {
          api.arm('change.beforeCommit@1=drop');
          await scenario.putDeal();
        }
        expect(api.pid).to.equal(pid);
      });

      it('news whose job was taken by workers that died with it do not wait for the queue to notice', async () => {
        // First the wake-up's job is lost, then the one that the sweep has sent after it.
        for (let lost = 0; lost < 2; lost += 1) await failAt('lease.beforeTake', 'kill');
        await quiescence(fleet, [world]);
        await assertInvariants(fleet, world);
      });

      it('a machine that is lost without a word keeps its lane no longer than ten seconds', async () => {
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

      it('a migration that is killed between two statements is made up for by the next', async () => {
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

      it('a machine that is lost while it migrates holds up the starts of others for seconds, not hours', async () => {
        await Promise.all(['migrate.statement@40', 'migrate.queue@1'].map(othersMigrateWhenLostAt));
      });

      async function othersMigrateWhenLostAt(place: string): Promise<void> {
        const { superuserUrl, ownerUrl, port } = fleet.postgres;
        const name = place.replace(/\W/g, '_');
        await query(superuserUrl, `create database ${name} owner commissions`);
        const line = await TcpProxy.to(port);
        const [half, through] = [new URL(ownerUrl), new URL(ownerUrl)];
        half.pathname = through.pathname = `/${name}`;
        through.port = String(line.port);
        const lost = startMigration(through.href, `${place}=delay:60000`);
        const [told] = await once(lost.stderr, 'data');
        expect(String(told)).to.include('failpoint');
        line.loseClient();
        lost.kill('SIGKILL');
        expect(await migrate(half.href, '')).to.equal(0);
        await line.close();
        await query(superuserUrl, `drop database ${name} with (force)`);
      }
    });
  }
});

/** How `commissions migrate` has ended. */
async function migrate(url: string, armed: string): Promise<number | string | null> {
  const child = startMigration(url, armed);
  child.stderr.resume();
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

function startMigration(url: string, armed: string): ChildProcessByStdio<null, null, Readable> {
  return spawn(process.execPath, [path.join(root, 'bin', 'commissions.js'), 'migrate'], {
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
