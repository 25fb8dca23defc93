import pg from 'pg';
import { type Clock } from '#src/kernel/clock.js';
import { Failure } from '#src/kernel/failure.js';
import { calculateLanes } from '#src/ledger/lanes/calculate-lanes.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { dispatcherFor, type OfflineDatabase } from '#test/support/offline-database.js';
import { type OfflineWorkspace, type Parts } from '#test/support/offline-workspace.js';
import { type Schedule } from './schedules.js';
import { SteppingProxy } from './stepping-proxy.js';

const stepTimeoutMs = 180_000;
const blockedCheckMs = 4;

/** What a session executes: one request or one run of a worker. */
export type Action = (session: Session) => Promise<unknown>;

/** One process with one connection, whose statements are released one by one. */
export class Session {
  private constructor(
    readonly proxy: SteppingProxy,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  static async open({ appUrl, clock }: OfflineDatabase): Promise<Session> {
    const proxy = await SteppingProxy.open(appUrl);
    const database = createDatabase({ url: proxy.url, size: 1, onError: () => {} });
    return new Session(proxy, database, new UnitOfWork(database), clock);
  }

  async close(): Promise<void> {
    await this.database.destroy();
    await this.proxy.close();
  }

  /** Sends no wake-ups: in these tests a lane is calculated only by `calculate`. */
  async run({ admin }: OfflineWorkspace, operation: AnyOperation, parts: Parts): Promise<unknown> {
    const { unitOfWork, clock } = this;
    const dispatcher = dispatcherFor(operation, { unitOfWork, clock, wake: async () => {} });
    const request = { params: {}, query: {}, body: undefined, ...parts };
    return (await dispatcher.run(operation, request, admin)).body;
  }

  async calculate(workspaceId: string, ...repIds: readonly string[]): Promise<unknown> {
    return calculateLanes({ unitOfWork: this.unitOfWork, clock: this.clock }, workspaceId, repIds, { wait: false });
  }
}

/** The result of an action for its caller: `done` or the error code. */
export type Outcome = string;

export async function outcomeOf(action: Promise<unknown>): Promise<Outcome> {
  try {
    await action;
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

/**
 * Runs two actions statement by statement in the order of the schedule. An action that waits for a lock loses its
 * slot.
 */
export async function interleave(
  admin: pg.Client,
  sessions: readonly [Session, Session],
  actions: readonly [Action, Action],
  schedule: Schedule,
): Promise<[Outcome, Outcome]> {
  for (const { proxy } of sessions) proxy.arm();
  try {
    const actors = [start(sessions[0], actions[0]), start(sessions[1], actions[1])] as const;
    let slot = 0;
    while (actors.some((actor) => !actor.isDone)) {
      const next = schedule[Math.min(slot, schedule.length - 1)] ?? 0;
      slot += 1;
      const [first, second] = next === 0 ? actors : [actors[1], actors[0]];
      if (await step(admin, first)) continue;
      if (await step(admin, second)) continue;
      // The remaining action waits until the server ends the other one, or until the pause before a retry has
      // passed.
      const left = actors.filter((actor) => !actor.isDone);
      if (left.length > 0) await anyMoves(left);
    }
    return [await actors[0].ended, await actors[1].ended];
  } finally {
    for (const { proxy } of sessions) proxy.disarm();
  }
}

function start(session: Session, action: Action): Actor {
  const ended = outcomeOf(action(session));
  const actor: Actor = { session, ended, isDone: false };
  const done = () => {
    actor.isDone = true;
  };
  ended.then(done, done);
  return actor;
}

/** Executes one statement of the actor. Returns false if the actor is done or waits for a lock. */
async function step(admin: pg.Client, actor: Actor): Promise<boolean> {
  const { proxy } = actor.session;
  if (proxy.isRunning && !(await runsOn(admin, actor))) return false;
  if (!(await untilHeld(actor))) return false;
  proxy.release();
  return runsOn(admin, actor);
}

/** Waits for the running statement; returns false if it waits for a lock. */
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
    if (Date.now() > deadline) throw new Error(`a statement did not end within ${stepTimeoutMs} ms`);
  }
  return true;
}

/** Returns false if the action ends instead. */
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
    if (Date.now() > deadline)
      throw new Error(`an action neither sent a statement nor ended within ${stepTimeoutMs} ms`);
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
