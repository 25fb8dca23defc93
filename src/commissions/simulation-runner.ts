import { PreparedJson } from '../platform/operations/operation.js';
import { ThreadLimitExceeded, type ThreadPool } from '../platform/threads/thread-pool.js';
import { type SimulatedRepData } from '../simulation/simulated-reps.js';
import { type SimulationLimits, tooComplex } from './simulation-limits.js';
import { type SimulationHead, type ThreadTask } from './simulation-task.js';

/** Runs simulations in worker threads. One workspace runs at most one simulation at a time. */
export class SimulationRunner {
  constructor(
    private readonly threads: ThreadPool,
    private readonly limits: SimulationLimits,
  ) {}

  async run(workspaceId: string, head: SimulationHead, reps: readonly SimulatedRepData[]): Promise<PreparedJson> {
    const task: ThreadTask = { simulation: head };
    try {
      return new PreparedJson(Buffer.from((await this.threads.run(workspaceId, [task, ...reps])).buffer));
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) throw tooComplex(this.limits, error.limit, 'The simulation');
      throw error;
    }
  }
}
