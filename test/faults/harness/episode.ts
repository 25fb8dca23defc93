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

const lengthMs = 1800;
/** Longer, by a factor, on a machine that others use too. */
const patience = Number(process.env['FAULT_PATIENCE'] ?? 1);
const quiescenceMs = 15_000 * patience;
const senders = 3;

export interface EpisodeResult {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly log: EpisodeLog;
}

/** Two workspaces, those who work on them, and the faults, for a few seconds; all decisions follow from the seed. */
class Episode {
  readonly log = new EpisodeLog();
  private isOver = false;
  private answered: Promise<unknown> = Promise.resolve();
  private looks = 0;

  private constructor(
    private readonly fleet: Fleet,
    readonly seed: number,
    readonly worlds: readonly EpisodeWorld[],
  ) {}

  static async create(fleet: Fleet, seed: number): Promise<Episode> {
    const random = (index: number) => SeededRandom.named(seed, `world ${index}`);
    const make = (index: number) => EpisodeWorld.create(fleet, `Episode ${seed}/${index}`, random(index));
    return new Episode(fleet, seed, await Promise.all([make(0), make(1)]));
  }

  /** The time of the faults. What was sent and not yet answered goes on after it. */
  async act(): Promise<void> {
    const { fleet, log, worlds } = this;
    log.add('start', worlds.map(({ workspaceId }) => workspaceId).join(' '));
    const random = (actor: string) => SeededRandom.named(this.seed, actor);
    const stage: Stage = { fleet, worlds, log, isOver: () => this.isOver };
    const parcels = parcelsOf(worlds, random('parcels'));
    const shares = Array.from({ length: senders }, (_, index) => parcels.filter((_one, at) => at % senders === index));
    const sending = shares.map((share, index) => send(stage, `sender ${index}`, share, random(`sender ${index}`)));
    const acting = [approve(stage, random('approver')), administer(stage, random('admin'))];
    const ids = worlds.map(({ workspaceId }) => workspaceId);
    const watching = watchApprovals(fleet, ids, stage.isOver).then((looks) => {
      this.looks = looks;
    });
    const disturbing = disturb(stage, menuOf(fleet, this.seed), random('killer'));
    this.answered = Promise.all([...sending, ...acting, watching, disturbing]);
    // Heard by whoever asks for the answers, though not before the time is up.
    this.answered.catch(() => undefined);
    await sleep(lengthMs);
    this.isOver = true;
    log.add('over', '');
    await disturbing;
  }

  async untilAnswered(): Promise<void> {
    await this.answered;
    this.log.add('answered', `${this.looks} looks at approved statements`);
  }

  async assertInvariants(): Promise<void> {
    await Promise.all(this.worlds.map((world) => assertInvariants(this.fleet, world)));
  }
}

/** Every third episode kills a server, every sixth empties Redis. */
function menuOf({ backend }: Fleet, seed: number): Menu {
  const server = seed % 3 !== 0 ? null : backend === 'redis' && seed % 2 === 0 ? 'redis' : 'postgres';
  return { server, flush: backend === 'redis' && seed % 6 === 0 };
}

/**
 * Episodes one after the other, each in workspaces of its own, then peace, then the reckoning for each: waiting for
 * quiet is what takes time, so they share it.
 */
export async function runRound(fleet: Fleet, seeds: readonly number[]): Promise<EpisodeResult[]> {
  fleet.fired.length = 0;
  const logged = (await fleet.postgres.log()).length;
  const episodes = await Promise.all(seeds.map((seed) => Episode.create(fleet, seed)));
  for (const episode of episodes) await episode.act();
  await fleet.heal();
  const results: EpisodeResult[] = [];
  for (const episode of episodes) {
    const violation = await reckon(fleet, episode, logged).then(() => null, violationOf);
    episode.log.add('end', violation?.message ?? `holds; fired ${JSON.stringify(fleet.fired)}`);
    results.push({ seed: episode.seed, violation, log: episode.log });
  }
  return results;
}

async function reckon(fleet: Fleet, episode: Episode, logged: number): Promise<void> {
  await episode.untilAnswered();
  await quiescence(fleet, episode.worlds);
  episode.log.add('quiet', '');
  await episode.assertInvariants();
  const complaint = /.*deadlock detected.*/.exec((await fleet.postgres.log()).slice(logged))?.[0];
  if (complaint !== undefined) throw new Violation('40P01', complaint);
}

function violationOf(error: unknown): Violation {
  return error instanceof Violation ? error : new Violation('harness', String((error as Error).stack));
}

/** I24: what was asked is calculated, and every job has ended. */
export async function quiescence(
  { postgres }: Fleet,
  worlds: readonly EpisodeWorld[],
  deadline = performance.now() + quiescenceMs,
): Promise<void> {
  const ids = worlds.map(({ workspaceId }) => workspaceId);
  for (;;) {
    const [left] = await query<{ requests: number; jobs: number; lanes: unknown }>(
      postgres.ownerUrl,
      `select (select count(*)::int from calculation_requests where workspace_id = any($1)) as requests,
        (select count(*)::int from jobs where workspace_id = any($1) and status = 'running') as jobs,
        (select json_agg(l) from lanes l where workspace_id = any($1) and attempts > 0) as lanes`,
      [ids],
    );
    if (left?.requests === 0 && left.jobs === 0) break;
    if (performance.now() > deadline)
      throw new Violation('I24', `not quiet after ${quiescenceMs} ms: ${JSON.stringify(left)}`);
    await sleep(50);
  }
}
