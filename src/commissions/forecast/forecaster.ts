import { type Caller } from '../../kernel/caller.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { executeForwarded } from '../../platform/threads/forwarded-database.js';
import { type RunInThread, ThreadLimitExceeded, type ThreadPool } from '../../platform/threads/thread-pool.js';
import { type SimulationLimits, tooComplex } from '../simulation-limits.js';
import { type ThreadTask } from '../simulation-task.js';
import { type ForecastPart, type ForecastResult, type ForecastTask, outcomesOfSecond } from './forecast-task.js';

/** Forecasts with more open deals are calculated in two threads, if a second one is free. */
const maxDealsOfOneThread = 6;

/** Forecasts the pay of a person. */
export type Forecast = (task: ForecastTask) => Promise<ForecastResult>;

/** Forecasts in worker threads. One workspace runs one request at a time, and each must end within the limit of a simulation. */
export class Forecaster {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly threads: Pick<ThreadPool, 'hold' | 'hasFreeThread'>,
    private readonly limits: SimulationLimits,
  ) {}

  /** Runs the work in a transaction of one instant, when a thread is free for its forecasts. */
  run<T>(caller: Caller, work: (tx: Transaction, forecast: Forecast) => Promise<T>): Promise<T> {
    const options = { lock: 'none', access: 'read', replica: true, isolation: 'repeatable read' } as const;
    const calculate = (run: RunInThread) => {
      const endsAt = performance.now() + this.limits.seconds * 1000;
      return this.unitOfWork.run(caller, options, (tx) => work(tx, (task) => this.forecast(run, tx, task, endsAt)));
    };
    return this.threads.hold(caller.workspaceId, calculate, caller.actor);
  }

  private async forecast(
    run: RunInThread,
    tx: Transaction,
    task: ForecastTask,
    endsAt: number,
  ): Promise<ForecastResult> {
    const ending = new AbortController();
    const second = this.runSecond(tx, task, endsAt, ending.signal);
    // Its failure is that of the first thread, which asks for its outcomes.
    second?.catch(() => undefined);
    try {
      return (await runPart(run, tx, {
        task,
        part: second === null ? 'all' : 'first',
        endsAt,
        second,
      })) as ForecastResult;
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) throw tooComplex(this.limits, error.limit, 'The forecast');
      throw error;
    } finally {
      ending.abort();
      await second?.catch(() => undefined);
    }
  }

  /** The second half of the outcomes; null if they are few, or no thread is free. */
  private runSecond(tx: Transaction, task: ForecastTask, endsAt: number, signal: AbortSignal): Promise<unknown> | null {
    const uncertain = task.deals.filter(({ probability }) => probability !== null);
    if (uncertain.length <= maxDealsOfOneThread || !this.threads.hasFreeThread) return null;
    return this.threads.hold(`${tx.workspaceId} second`, (run) =>
      runPart(run, tx, { task, part: 'second', endsAt, second: null, signal }),
    );
  }
}

interface Part {
  readonly task: ForecastTask;
  readonly part: ForecastPart;
  readonly endsAt: number;
  readonly second: Promise<unknown> | null;
  readonly signal?: AbortSignal;
}

async function runPart(
  run: RunInThread,
  tx: Transaction,
  { task, part, endsAt, second, signal }: Part,
): Promise<unknown> {
  const sent: ThreadTask = { forecast: task, part, workspaceId: tx.workspaceId };
  const json = await run([sent], {
    deadlineMs: Math.max(1, endsAt - performance.now()),
    reply: (request) => (request === outcomesOfSecond ? (second as Promise<unknown>) : executeForwarded(tx, request)),
    ...(signal === undefined ? {} : { signal }),
  });
  return JSON.parse(new TextDecoder().decode(json));
}
