import { Failure } from '../kernel/failure.js';
import { PreparedJson } from '../platform/operation.js';
import { ThreadLimitExceeded, ThreadPool } from '../platform/threads/thread-pool.js';
import { type SimulatedRepData, type SimulationHead } from './simulation-task.js';

interface SimulationLimits {
  readonly threads: number;
  readonly heapMb: number;
  readonly seconds: number;
}

/** Runs simulations in worker threads. One workspace runs at most one simulation at a time. */
export class SimulationRunner {
  private readonly pool: ThreadPool;

  constructor(private readonly limits: SimulationLimits) {
    const { threads, heapMb, seconds } = limits;
    const script = new URL('./simulation-thread.js', import.meta.url);
    this.pool = new ThreadPool(script, { threads, heapMb, deadlineMs: seconds * 1000 });
  }

  async run(workspaceId: string, head: SimulationHead, reps: readonly SimulatedRepData[]): Promise<PreparedJson> {
    try {
      return new PreparedJson(Buffer.from((await this.pool.run(workspaceId, [head, ...reps])).buffer));
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) throw this.tooComplex(error.limit);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private tooComplex(limit: 'time' | 'memory'): Failure {
    const { seconds, heapMb } = this.limits;
    const reached = limit === 'time' ? `${seconds} s` : `${heapMb} MiB of memory`;
    return new Failure(
      'plan_too_complex',
      `The simulation needs more than ${reached}. Simulate fewer reps or deals, or a plan with fewer conditions.`,
      limit === 'time' ? { limitSeconds: seconds } : { limitMebibytes: heapMb },
    );
  }
}
