import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '#test/support/ledger-checks.js';
import { type AbusiveTenant, abuse, createAbusiveTenant } from './abuse.js';
import { administer, approve, messagesOf, type Stage, sell, send } from './actors.js';
import { watchApprovals } from './approval-watch.js';
import { EpisodeLog, Violation } from './episode-log.js';
import { type CrmKind, EpisodeWorld } from './episode-world.js';
import { type Fleet } from './fleet.js';
import { assertInvariants, readViews } from './invariants.js';
import { disturb, type Menu } from './killer.js';
import { PayRun } from './pay-run.js';
import { disturbReceivers } from './receivers.js';
import { RetryingClient } from './retrying-client.js';
import { SeededRandom } from './seeded-random.js';
import { timeoutScale } from './timeout-scale.js';

const minDurationMs = 1800;
/**
 * Faults continue until this share of the messages has been accepted, up to maxDurationMs. A busy machine would otherwise
 * spend most of an episode on outages.
 */
const shareUnderFaults = 0.6;
const maxDurationMs = 5_000;
/** Longer than the lease of a worker that was killed. Multiplied on a busy machine. */
const quiescenceMs = 25_000 * timeoutScale;
const senders = 3;
const approvers = 3;

export interface EpisodeResult {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly log: EpisodeLog;
}

/** Two workspaces, their actors, a third workspace that abuses the service, and the faults, for a few seconds. All decisions follow from the seed. */
class Episode {
  readonly log = new EpisodeLog();
  private isOver = false;
  private answered: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly fleet: Fleet,
    readonly seed: number,
    readonly worlds: readonly EpisodeWorld[],
    private readonly abuser: AbusiveTenant,
    private readonly payRun: PayRun,
  ) {}

  static async create(fleet: Fleet, seed: number): Promise<Episode> {
    const random = (index: number) => SeededRandom.named(seed, `world ${index}`);
    const make = (index: number, crm: CrmKind) =>
      EpisodeWorld.create(fleet, `Episode ${seed}/${index}`, random(index), { crm });
    const worlds = hasCrm(seed)
      ? [make(0, 'delivers'), make(1, 'delivers and is synced')]
      : [make(0, 'none'), make(1, 'none')];
    const abuser = await createAbusiveTenant(fleet, `Episode ${seed}/abuser`, SeededRandom.named(seed, 'abuser'));
    const sender = (apiKey: string) => {
      const log = new EpisodeLog();
      const client = new RetryingClient(fleet, apiKey, 'payroll', SeededRandom.named(seed, 'payroll'), log);
      return (method: string, path: string, body?: unknown) => client.send(method, path, body);
    };
    const payRun = await PayRun.create(fleet, `Episode ${seed}/payouts`, sender);
    return new Episode(fleet, seed, await Promise.all(worlds), abuser, payRun);
  }

  /** Runs the actors under faults. Requests without a response continue after it returns. */
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
    const messages = messagesOf(worlds, random('messages'));
    const shares = Array.from({ length: senders }, (_, index) => messages.filter((_one, at) => at % senders === index));
    const sending = shares.map((share, index) => send(stage, `sender ${index}`, share, random(`sender ${index}`)));
    const acting = [
      ...Array.from({ length: approvers }, (_, index) => approve(stage, random(`approver ${index}`))),
      administer(stage, random('admin')),
      sell(stage, random('crm')),
      abuse(stage, this.abuser, random('abuser')),
      disturbReceivers(stage, random('receivers')),
      this.pay(),
    ];
    const ids = worlds.map(({ workspaceId }) => workspaceId);
    const watching = watchApprovals(fleet, ids, stage.isOver);
    const disturbing = disturb(stage, menuOf(fleet, this.seed), random('killer'));
    this.answered = Promise.all([watching, disturbing, ...sending, ...acting]).then(([checks]) =>
      log.add('answered', `${checks} checks of approved statements`),
    );
    // The rejection is handled by untilAnswered, after the faults have ended.
    this.answered.catch(() => undefined);
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const hasMetFaults = () => accepted >= messages.length * shareUnderFaults || elapsed() > maxDurationMs;
    while (elapsed() < minDurationMs || !hasMetFaults()) await sleep(20);
    this.isOver = true;
    log.add('over', '');
    await disturbing;
  }

  /** Pays month after month until the faults end. */
  private async pay(): Promise<void> {
    while (!this.isOver) await this.payRun.payMonth();
  }

  untilAnswered(): Promise<unknown> {
    return this.answered;
  }

  /** Inserts calculation requests without a wake-up, as a process does that dies between its commit and the wake-up. */
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
    for (const world of this.worlds) await world.stop();
  }

  async assertInvariants(): Promise<void> {
    await Promise.all(this.worlds.map((world) => assertInvariants(this.fleet, world)));
    await this.payRun.assertPaidOnce();
  }
}

/** Half of the episodes, whether their seeds are odd or even. */
function hasCrm(seed: number): boolean {
  return seed % 4 === 1 || seed % 4 === 2;
}

/** Not in all episodes, since the sweep waits five seconds before it takes such requests. */
function losesWakes(seed: number): boolean {
  return seed % 8 === 1 || seed % 8 === 2;
}

/** Every third episode kills a server, every sixth one empties Redis. */
function menuOf({ backend }: Fleet, seed: number): Menu {
  const server = seed % 3 !== 0 ? null : backend === 'redis' && seed % 2 === 0 ? 'redis' : 'postgres';
  return { server, flush: backend === 'redis' && seed % 6 === 0 };
}

/**
 * Runs episodes one after the other, each in its own workspaces, then waits for quiescence once and checks the
 * invariants of each. Waiting takes the most time, so the episodes share it.
 */
export async function runRound(fleet: Fleet, seeds: readonly number[]): Promise<EpisodeResult[]> {
  fleet.fired.length = 0;
  const logged = (await fleet.postgres.log()).length;
  const episodes = await Promise.all(seeds.map((seed) => Episode.create(fleet, seed)));
  for (const episode of episodes) await episode.act();
  await fleet.heal();
  // Failures of an episode are reported by its own check.
  await Promise.allSettled(episodes.map((episode) => episode.untilAnswered()));
  for (const episode of episodes) if (losesWakes(episode.seed)) await episode.loseWakes();
  const results: EpisodeResult[] = [];
  for (const episode of episodes) {
    const violation = await check(fleet, episode, logged).then(() => null, violationOf);
    episode.log.add('end', violation?.message ?? `holds; fired ${JSON.stringify(fleet.fired)}`);
    results.push({ seed: episode.seed, violation, log: episode.log });
    await episode.stop();
  }
  return results;
}

async function check(fleet: Fleet, episode: Episode, logged: number): Promise<void> {
  await episode.untilAnswered();
  await quiescence(fleet, episode.worlds);
  episode.log.add('quiet', '');
  await episode.assertInvariants();
  const deadlock = /.*deadlock detected.*(?:\n(?:\t|.* (?:DETAIL|HINT|CONTEXT|STATEMENT): ).*)*/.exec(
    (await fleet.postgres.log()).slice(logged),
  )?.[0];
  if (deadlock !== undefined) throw new Violation('40P01', deadlock);
}

function violationOf(error: unknown): Violation {
  return error instanceof Violation ? error : new Violation('harness', String((error as Error).stack));
}

/** I24: every calculation request, period check, inbox message, job, file to import, outgoing event and write to a CRM is processed. */
export async function quiescence(
  fleet: Fleet,
  worlds: readonly EpisodeWorld[],
  deadline = performance.now() + quiescenceMs,
): Promise<void> {
  const { postgres, apis } = fleet;
  const ids = worlds.map(({ workspaceId }) => workspaceId);
  const readers = apis.flatMap(({ url }) => worlds.map((world) => () => readViews(url, world)));
  let before = '';
  for (let reads = 0; ; ) {
    await fleet.endPauses(ids);
    const [left] = await query<{
      requests: number;
      checks: number;
      jobs: number;
      messages: number;
      stored: number;
      events: number;
      files: number;
      writes: number;
      lanes: unknown;
    }>(
      postgres.ownerUrl,
      `select (select count(*)::int from calculation_requests where workspace_id = any($1)) as requests,
        (select count(*)::int from period_checks where workspace_id = any($1)) as checks,
        (select count(*)::int from jobs where workspace_id = any($1) and status = 'running') as jobs,
        (select count(*)::int from inbox where workspace_id = any($1) and processed_at is null) as messages,
        (select count(*)::int from stored_jobs where workspace_id = any($1) and finished_at is null) as stored,
        (select count(*)::int from webhook_deliveries where workspace_id = any($1) and status = 'pending') as events,
        (select count(*)::int from scheduled_imports where workspace_id = any($1)
          and (requests > handled_requests or next_run_at <= now() + interval '1 minute')) as files,
        (select count(*)::int from write_back_requests where workspace_id = any($1)) + (
          select count(*)::int from deal_write_backs where workspace_id = any($1) and due_at <= now()) as writes,
        (select json_agg(l) from lanes l where workspace_id = any($1) and attempts > 0) as lanes`,
      [ids],
    );
    const { lanes, ...counts } = left ?? { lanes: null, all: 1 };
    if (Object.values(counts).every((count) => count === 0)) break;
    if (performance.now() > deadline)
      throw new Violation('I24', `not quiet after ${quiescenceMs} ms: ${JSON.stringify({ ...counts, lanes })}`);
    await sleep(50);
    const now = JSON.stringify(counts);
    if (now === before) continue;
    before = now;
    // Reads one workspace after the other while calculations run. A process that is restarting does not respond.
    await readers[reads % readers.length]?.().catch(() => undefined);
    reads += 1;
  }
}
