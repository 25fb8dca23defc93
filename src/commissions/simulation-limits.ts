import { Failure } from '../kernel/failure.js';
import { type Config } from '../platform/config.js';
import { ThreadPool } from '../platform/threads/thread-pool.js';

/** Limits of the worker threads that simulate plans and explain deals. */
export interface SimulationLimits {
  readonly threads: number;
  readonly heapMb: number;
  readonly seconds: number;
}

export function simulationLimits({
  SIMULATION_THREADS: threads,
  SIMULATION_MEMORY_MB: heapMb,
  SIMULATION_SECONDS: seconds,
}: Config): SimulationLimits {
  return { threads, heapMb, seconds };
}

export function simulationThreads({ threads, heapMb, seconds }: SimulationLimits): ThreadPool {
  const script = new URL('./simulation-thread.js', import.meta.url);
  return new ThreadPool(script, { threads, heapMb, deadlineMs: seconds * 1000 });
}

/** The failure of work, such as `The simulation`, that has reached a limit of its thread. */
export function tooComplex({ seconds, heapMb }: SimulationLimits, limit: 'time' | 'memory', what: string): Failure {
  const reached = limit === 'time' ? `${seconds} s` : `${heapMb} MiB of memory`;
  return new Failure(
    'plan_too_complex',
    `${what} needs more than ${reached}: fewer reps or deals, or a plan with fewer conditions, need less.`,
    limit === 'time' ? { limitSeconds: seconds } : { limitMebibytes: heapMb },
  );
}
