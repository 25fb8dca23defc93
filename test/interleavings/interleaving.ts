import 'reflect-metadata';
import pg from 'pg';
import { type Caller } from '#src/kernel/caller.js';
import { type Clock } from '#src/kernel/clock.js';
import { Failure } from '#src/kernel/failure.js';
import { calculateLane } from '#src/ledger/calculate-lane.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type AnyOperation } from '#src/platform/operation.js';
import { dispatcherFor, type Parts } from '../support/slice-fixture.js';
import { type Schedule } from './schedules.js';
import { SteppingProxy } from './stepping-proxy.js';

const stepTimeoutMs = 20_000;
const blockedCheckMs = 4;

/** What a session does: one request or one run of a worker. */
export type Act = (session: Session) => Promise<unknown>;

/** One process with one connection, whose statements can be let through one by one. */
export class Session {
  private constructor(
    readonly proxy: SteppingProxy,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  static async open(serverUrl: string, clock: Clock): Promise<Session> {
    const proxy = await SteppingProxy.open(serverUrl);
    const database = createDatabase({ url: proxy.url, size: 1, onError: () => {} });
    return new Session(proxy, database, new UnitOfWork(database), clock);
  }

  async close(): Promise<void> {
    await this.database.destroy();
    await this.proxy.close();
  }

  /** Nobody is woken by it: in these tests a lane runs when it is told to. */
  async run(operation: AnyOperation, caller: Caller, parts: Parts): Promise<unknown> {
    const { unitOfWork, clock } = this;
    const dispatcher = dispatcherFor(operation, { unitOfWork, clock, wakeLanes: async () => {} });
    const request = { params: {}, query: {}, body: undefined, ...parts };
    return (await dispatcher.run(operation, request, caller)).body;
  }

  async calculate(workspaceId: string, repId: string): Promise<unknown> {
    return calculateLane({ unitOfWork: this.unitOfWork, clock: this.clock }, { workspaceId, repId }, { wait: false });
  }
}

/** What an act came to, as far as its caller can tell: done, or refused with that code. */
export type Outcome = string;

export async function outcomeOf(act: Promise<unknown>): Promise<Outcome> {
  try {
    await act;
    return 'done';
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

interface Actor {
  readonly session: Session;
  readonly ended: Promise<Outcome>;
  isDone: boolean;
}

/** Runs two acts statement by statement in the order of the schedule; who waits for a lock is passed over. */
export async function interleave(
  admin: pg.Client,
  sessions: readonly [Session, Session],
  acts: readonly [Act, Act],
  schedule: Schedule,
): Promise<[Outcome, Outcome]> {
  for (const { proxy } of sessions) proxy.arm();
  try {
    const actors = [start(sessions[0], acts[0]), start(sessions[1], acts[1])] as const;
    let turn = 0;
    while (actors.some((actor) => !actor.isDone)) {
      const wanted = schedule[Math.min(turn, schedule.length - 1)] ?? 0;
      turn += 1;
      const [first, second] = wanted === 0 ? actors : [actors[1], actors[0]];
      if (await step(admin, first)) continue;
      if (await step(admin, second)) continue;
      // Who is left waits for the other, until the server ends it, or for the pause before another try.
      const left = actors.filter((actor) => !actor.isDone);
      if (left.length > 0) await anyMoves(left);
    }
    return [await actors[0].ended, await actors[1].ended];
  } finally {
    for (const { proxy } of sessions) proxy.disarm();
  }
}

function start(session: Session, act: Act): Actor {
  const ended = outcomeOf(act(session));
  const actor: Actor = { session, ended, isDone: false };
  const done = () => {
    actor.isDone = true;
  };
  ended.then(done, done);
  return actor;
}

/** Lets one statement of the actor run to its end. False when the actor is done or waits for somebody's lock. */
async function step(admin: pg.Client, actor: Actor): Promise<boolean> {
  const { proxy } = actor.session;
  if (proxy.isRunning && !(await runsOn(admin, actor))) return false;
  if (!(await untilHeld(actor))) return false;
  proxy.release();
  return runsOn(admin, actor);
}

/** Waits for the statement that runs; false when it turns out to wait for a lock. */
async function runsOn(admin: pg.Client, { session: { proxy } }: Actor): Promise<boolean> {
  const deadline = Date.now() + stepTimeoutMs;
  while (proxy.isRunning) {
    await proxy.changed(AbortSignal.timeout(blockedCheckMs));
    if (!proxy.isRunning) return true;
    const { rows } = await admin.query<{ blocked: boolean }>(
      'select cardinality(pg_blocking_pids($1)) > 0 as blocked',
      [proxy.backendPid],
    );
    if (rows[0]?.blocked === true && proxy.isRunning) return false;
    if (Date.now() > deadline) throw new Error('a statement did not end');
  }
  return true;
}

/** False when the act ends instead. */
async function untilHeld(actor: Actor): Promise<boolean> {
  const deadline = Date.now() + stepTimeoutMs;
  while (!actor.session.proxy.hasHeld) {
    if (actor.isDone) return false;
    const ended = new AbortController();
    await Promise.race([
      actor.session.proxy.changed(AbortSignal.any([ended.signal, AbortSignal.timeout(stepTimeoutMs)])),
      actor.ended.catch(() => undefined),
    ]);
    ended.abort();
    if (Date.now() > deadline) throw new Error('an act neither spoke nor ended');
  }
  return true;
}

async function anyMoves(actors: readonly Actor[]): Promise<void> {
  const moved = new AbortController();
  const signal = AbortSignal.any([moved.signal, AbortSignal.timeout(stepTimeoutMs)]);
  await Promise.race(
    actors.flatMap(({ session, ended }) => [session.proxy.changed(signal), ended.catch(() => undefined)]),
  );
  moved.abort();
}
