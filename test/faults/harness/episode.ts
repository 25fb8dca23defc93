import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../support/ledger-checks.js';
import { administer, approve, parcelsOf, type Stage, sell, send } from './actors.js';
import { watchApprovals } from './approval-watch.js';
import { EpisodeLog, Violation } from './episode-log.js';
import { type CrmKind, EpisodeWorld } from './episode-world.js';
import { type Fleet } from './fleet.js';
import { assertInvariants, lookUp } from './invariants.js';
import { disturb, type Menu } from './killer.js';
import { patience } from './patience.js';
import { SeededRandom } from './seeded-random.js';

const leastLengthMs = 1800;
/** On a machine that is slow the faults go on until so much of the deals has met them, for so long at most. */
const shareUnderFaults = 0.6;
const longestLengthMs = 15_000;
/** Longer, by a factor, on a machine that others use too. */
const quiescenceMs = 15_000 * patience;
const senders = 3;
const approvers = 3;

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

  private constructor(
    private readonly fleet: Fleet,
    readonly seed: number,
    readonly worlds: readonly EpisodeWorld[],
  ) {}

  static async create(fleet: Fleet, seed: number): Promise<Episode> {
    const random = (index: number) => SeededRandom.named(seed, `world ${index}`);
    const make = (index: number, crm: CrmKind) =>
      EpisodeWorld.create(fleet, `Episode ${seed}/${index}`, random(index), { crm });
    const worlds = hasCrm(seed)
      ? [make(0, 'delivers'), make(1, 'delivers and is synced')]
      : [make(0, 'none'), make(1, 'none')];
    return new Episode(fleet, seed, await Promise.all(worlds));
  }

  /** The time of the faults. What was sent and not yet answered goes on after it. */
  async act(): Promise<void> {
    const { fleet, log, worlds } = this;
    log.add('start', worlds.map(({ workspaceId }) => workspaceId).join(' '));
    const random = (actor: string) => SeededRandom.named(this.seed, actor);
    let accepted = 0;
    const stage: Stage = {
      fleet,
      worlds,
      log,
      isOver: () => this.isOver,
      accepted: () => {
        accepted += 1;
      },
    };
    const parcels = parcelsOf(worlds, random('parcels'));
    const shares = Array.from({ length: senders }, (_, index) => parcels.filter((_one, at) => at % senders === index));
    const sending = shares.map((share, index) => send(stage, `sender ${index}`, share, random(`sender ${index}`)));
    const acting = [
      ...Array.from({ length: approvers }, (_, index) => approve(stage, random(`approver ${index}`))),
      administer(stage, random('admin')),
      sell(stage, random('crm')),
    ];
    const ids = worlds.map(({ workspaceId }) => workspaceId);
    const watching = watchApprovals(fleet, ids, stage.isOver);
    const disturbing = disturb(stage, menuOf(fleet, this.seed), random('killer'));
    this.answered = Promise.all([watching, disturbing, ...sending, ...acting]).then(([looks]) =>
      log.add('answered', `${looks} looks at approved statements`),
    );
    // Heard by whoever asks for the answers, though not before the time is up.
    this.answered.catch(() => undefined);
    const startedAt = performance.now();
    const lasts = () => performance.now() - startedAt;
    const hasMetFaults = () => accepted >= parcels.length * shareUnderFaults || lasts() > longestLengthMs;
    while (lasts() < leastLengthMs || !hasMetFaults()) await sleep(20);
    this.isOver = true;
    log.add('over', '');
    await disturbing;
  }

  untilAnswered(): Promise<unknown> {
    return this.answered;
  }

  /** Asks for calculations that nobody is woken for, as when a process died between its commit and the wake-up. */
  async loseWakes(): Promise<void> {
    const ids = this.worlds.map(({ workspaceId }) => workspaceId);
    await query(
      this.fleet.postgres.ownerUrl,
      `insert into calculation_requests (workspace_id, rep_id, from_day, to_day, trigger)
      select workspace_id, rep_id, '2026-01-01', '2026-12-31', 'recalculation' from reps where workspace_id = any($1)`,
      [ids],
    );
  }

  async stop(): Promise<void> {
    for (const { crm } of this.worlds) await crm?.stop();
  }

  async assertInvariants(): Promise<void> {
    await Promise.all(this.worlds.map((world) => assertInvariants(this.fleet, world)));
  }
}

/** Half of the episodes on each backend, whichever parity theirs are of. */
function hasCrm(seed: number): boolean {
  return seed % 4 === 1 || seed % 4 === 2;
}

/** Not in all, since it takes the sweep five seconds to be sure that nobody is coming. */
function losesWakes(seed: number): boolean {
  return seed % 8 === 1 || seed % 8 === 2;
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
  // What goes wrong meanwhile is each one's own reckoning.
  await Promise.allSettled(episodes.map((episode) => episode.untilAnswered()));
  for (const episode of episodes) if (losesWakes(episode.seed)) await episode.loseWakes();
  const results: EpisodeResult[] = [];
  for (const episode of episodes) {
    const violation = await reckon(fleet, episode, logged).then(() => null, violationOf);
    episode.log.add('end', violation?.message ?? `holds; fired ${JSON.stringify(fleet.fired)}`);
    results.push({ seed: episode.seed, violation, log: episode.log });
    await episode.stop();
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

/** I24: what was asked is calculated, what was told is taken up, and every job has ended. */
export async function quiescence(
  { postgres, apis }: Fleet,
  worlds: readonly EpisodeWorld[],
  deadline = performance.now() + quiescenceMs,
): Promise<void> {
  const ids = worlds.map(({ workspaceId }) => workspaceId);
  for (;;) {
    const [left] = await query<{ requests: number; jobs: number; news: number; documents: number; lanes: unknown }>(
      postgres.ownerUrl,
      `select (select count(*)::int from calculation_requests where workspace_id = any($1)) as requests,
        (select count(*)::int from jobs where workspace_id = any($1) and status = 'running') as jobs,
        (select count(*)::int from inbox where workspace_id = any($1) and settled_at is null) as news,
        (select count(*)::int from documents where workspace_id = any($1) and finished_at is null) as documents,
        (select json_agg(l) from lanes l where workspace_id = any($1) and attempts > 0) as lanes`,
      [ids],
    );
    if (left?.requests === 0 && left.jobs === 0 && left.news === 0 && left.documents === 0) break;
    if (performance.now() > deadline)
      throw new Violation('I24', `not quiet after ${quiescenceMs} ms: ${JSON.stringify(left)}`);
    await sleep(50);
    // People look at what is still moving. A process that has yet to come back answers nobody.
    await Promise.allSettled(apis.flatMap(({ url }) => worlds.map((world) => lookUp(url, world))));
  }
}
