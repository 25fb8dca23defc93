import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../support/ledger-checks.js';
import { administer, approve, parcelsOf, type Stage, send } from './actors.js';
import { watchApprovals } from './approval-watch.js';
import { EpisodeLog, Violation } from './episode-log.js';
import { EpisodeWorld } from './episode-world.js';
import { type Fleet } from './fleet.js';
import { assertInvariants } from './invariants.js';
import { disturb, type Menu } from './killer.js';
import { SeededRandom } from './seeded-random.js';

const lengthMs = 2500;
const quiescenceMs = 15_000;
const senders = 3;

export interface EpisodeResult {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly log: EpisodeLog;
  readonly tookMs: number;
}

/** Work and faults for a few seconds, then peace, then the reckoning. */
export async function runEpisode(fleet: Fleet, seed: number): Promise<EpisodeResult> {
  const start = performance.now();
  const log = new EpisodeLog();
  const result = (violation: Violation | null) => ({ seed, violation, log, tookMs: performance.now() - start });
  try {
    await play(fleet, seed, log);
    return result(null);
  } catch (error) {
    await fleet.heal();
    const violation = error instanceof Violation ? error : new Violation('harness', String((error as Error).stack));
    log.add('end', violation.message);
    return result(violation);
  }
}

async function play(fleet: Fleet, seed: number, log: EpisodeLog): Promise<void> {
  const random = (name: string) => SeededRandom.named(seed, name);
  fleet.fired.length = 0;
  const logged = (await fleet.postgres.log()).length;
  const worlds = await Promise.all(
    [0, 1].map((index) => EpisodeWorld.create(fleet, `Episode ${seed}/${index}`, random(`world ${index}`))),
  );
  log.add('start', worlds.map(({ workspaceId }) => workspaceId).join(' '));
  const timer = new AbortController();
  const isOver = () => timer.signal.aborted;
  const stage: Stage = { fleet, worlds, log, isOver };
  const parcels = parcelsOf(worlds, random('parcels'));
  const sending = Array.from({ length: senders }, (_, index) =>
    send(
      stage,
      `sender ${index}`,
      parcels.filter((_parcel, place) => place % senders === index),
      random(`sender ${index}`),
    ),
  );
  const ids = worlds.map(({ workspaceId }) => workspaceId);
  const acting = [approve(stage, random('approver')), administer(stage, random('admin'))];
  const disturbing = disturb(stage, menuOf(fleet, seed), random('killer'));
  const watching = watchApprovals(fleet, ids, isOver);
  const all = Promise.all([watching, disturbing, ...acting, ...sending]);
  // Heard by the await below, though perhaps not before the time is up.
  all.catch(() => timer.abort());
  await Promise.race([sleep(lengthMs), all]);
  timer.abort();
  await disturbing;
  await fleet.heal();
  log.add('heal', JSON.stringify(fleet.fired));
  const [looks] = await all;
  log.add('watch', `${looks} looks at approved statements`);
  await quiescence(fleet, ids);
  log.add('quiet', '');
  for (const world of worlds) await assertInvariants(fleet, world);
  const complaint = /.*deadlock detected.*/.exec((await fleet.postgres.log()).slice(logged))?.[0];
  if (complaint !== undefined) throw new Violation('40P01', complaint);
}

/** Every third episode kills a server, every sixth empties Redis. */
function menuOf({ backend }: Fleet, seed: number): Menu {
  const server = seed % 3 !== 0 ? null : backend === 'redis' && seed % 2 === 0 ? 'redis' : 'postgres';
  return { server, flush: backend === 'redis' && seed % 6 === 0 };
}

/** I24: what was asked is calculated, and every job has ended. */
async function quiescence({ postgres }: Fleet, workspaceIds: readonly string[]): Promise<void> {
  const deadline = performance.now() + quiescenceMs;
  for (;;) {
    const [left] = await query<{ requests: number; jobs: number; lanes: unknown }>(
      postgres.ownerUrl,
      `select (select count(*)::int from calculation_requests where workspace_id = any($1)) as requests,
        (select count(*)::int from jobs where workspace_id = any($1) and status = 'running') as jobs,
        (select json_agg(l) from lanes l where workspace_id = any($1) and attempts > 0) as lanes`,
      [workspaceIds],
    );
    if (left?.requests === 0 && left.jobs === 0) return;
    if (performance.now() > deadline)
      throw new Violation('I24', `not quiet after ${quiescenceMs} ms: ${JSON.stringify(left)}`);
    await sleep(50);
  }
}
