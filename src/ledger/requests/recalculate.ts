import { allDays } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import {
  type CalculationRequest,
  loadRepsOfPlan,
  loadRepsOfSync,
  loadRepsOfWorkspace,
  requestCalculation,
  requestCalculationWithCommit,
  type Trigger,
} from './calculation-requests.js';

/**
 * Requests calculations in the transaction of a change. The lanes of the reps are woken after its commit, which is why
 * a change has no other way to write requests. Lanes of requests that wait for a sync are woken when it ends.
 */
export interface Recalculate {
  (requests: readonly CalculationRequest[]): Promise<void>;
  /** Sends the requests with the commit; nothing else in the transaction reads them. */
  withCommit(requests: readonly CalculationRequest[]): void;
  /** Requests all days of the reps. */
  reps(repIds: readonly string[], trigger: Trigger, jobId?: string): Promise<void>;
  /** Requests all days of every rep who is or was on the plan. */
  plan(planId: string, trigger: Trigger): Promise<void>;
  /** Requests all days of every rep of the workspace. Returns their number. */
  workspace(trigger: Trigger, jobId?: string): Promise<number>;
  /** Derives again what deals say about people, after a change of who is found, and requests whom that concerns. */
  namedPeople(): Promise<void>;
  /** Wakes the lanes whose requests waited for the end of the sync. */
  afterSync(syncRunId: string): Promise<void>;
}

declare module '../../platform/files/facts.js' {
  interface FactWriter {
    readonly recalculate: Recalculate;
  }
}

/** Derives again what deals say about people, such as credit lines, and returns the requests for whom that concerns. */
export type DeriveFromPeople = (tx: Transaction) => Promise<readonly CalculationRequest[]>;

export const derivesNothing: DeriveFromPeople = async () => [];

/** A {@link Recalculate} that adds the reps of its requests to `affected`. */
export function recalculateIn(tx: Transaction, affected: Set<string>, derive: DeriveFromPeople): Recalculate {
  const wake = (requests: readonly CalculationRequest[]) => {
    for (const { repId, syncRunId } of requests) if (syncRunId === undefined) affected.add(repId);
  };
  const request = async (requests: readonly CalculationRequest[]): Promise<void> => {
    wake(requests);
    await requestCalculation(tx, requests);
  };
  const reps = (repIds: readonly string[], trigger: Trigger, jobId?: string): Promise<void> =>
    request(repIds.map((repId) => ({ repId, days: allDays, trigger, jobId })));
  return Object.assign(request, {
    withCommit: (requests: readonly CalculationRequest[]) => {
      wake(requests);
      requestCalculationWithCommit(tx, requests);
    },
    reps,
    plan: async (planId: string, trigger: Trigger) => reps(await loadRepsOfPlan(tx, planId), trigger),
    workspace: async (trigger: Trigger, jobId?: string) => {
      const repIds = await loadRepsOfWorkspace(tx);
      await reps(repIds, trigger, jobId);
      return repIds.length;
    },
    namedPeople: async () => request(await derive(tx)),
    afterSync: async (syncRunId: string) => {
      for (const repId of await loadRepsOfSync(tx, syncRunId)) affected.add(repId);
    },
  });
}
