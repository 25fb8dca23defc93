import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { mayEarn, peopleQuery } from '../../../api/payroll-queries.js';
import { draftSimulationQuery } from '../../../api/plan-queries.js';
import { type Simulation, simulationQuery } from '../../../api/queries.js';
import { usePersistedState } from '../../../app/persisted-state.js';
import { useSession } from '../../../app/session.js';
import { type Rule } from '../../../features/plans/draft.js';
import { measureOf } from '../../../features/plans/rules.js';
import { todayIn } from '../../../shared/format/dates.js';
import { toMonth } from '../../../shared/format/periods.js';
import { compareTexts } from '../../../shared/format/texts.js';
import { type Builder } from './use-builder.js';

export interface SimulationState {
  readonly repId: string;
  readonly period: string;
  readonly people: readonly (readonly [id: string, name: string])[];
  readonly now: Simulation | undefined;
  readonly before: Simulation | undefined;
  readonly error: unknown;
  /** Whether the first amounts are loading. */
  readonly isLoading: boolean;
  choose(choice: { readonly repId?: string; readonly period?: string }): void;
}

/** What one person would earn under the draft, and under the plan as it is. */
export function useSimulation(builder: Builder): SimulationState {
  const { plan, draft } = builder;
  const { workspace } = useSession();
  const { data, isPending } = useQuery(peopleQuery);
  const [chosen, setChosen] = usePersistedState('plan-simulation', {
    repId: '',
    period: toMonth(todayIn(workspace.timezone)),
  });
  const assigned = new Set(plan?.assignedReps.map(({ repId }) => repId));
  const people = (data?.reps ?? [])
    .filter(mayEarn)
    .sort((a, b) => Number(assigned.has(b.id)) - Number(assigned.has(a.id)) || compareTexts(a.name, b.name))
    .map(({ id, name }) => [id, name] as const);
  const repId = people.some(([id]) => id === chosen.repId) ? chosen.repId : (people[0]?.[0] ?? '');
  const [latest] = useDebouncedValue(draft, 400);
  const planId = plan?.planId ?? null;
  const now = useQuery({
    ...draftSimulationQuery(planId, latest, repId, chosen.period),
    enabled: repId !== '' && latest.terms.rules.length > 0,
  });
  const before = useQuery({
    ...simulationQuery(planId ?? '', repId, chosen.period, []),
    enabled: repId !== '' && isInForce(builder),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return {
    repId,
    period: chosen.period,
    people,
    now: now.data,
    before: isInForce(builder) ? before.data : undefined,
    error: now.error,
    isLoading: isPending || now.isLoading || before.isLoading,
    choose: (choice) => setChosen((was) => ({ ...was, ...choice })),
  };
}

/** Whether the amounts are compared with those of the plan as it is. */
export function isInForce({ plan }: Builder): boolean {
  return plan !== null && plan.timeline.length > 0;
}

/** The quota of the person for the rule; null if none is set. */
export function findQuota(simulation: Simulation | undefined, rule: Rule | undefined): number | null {
  if (rule === undefined) return null;
  const found = simulation?.reps[0]?.attainment.find(({ measure }) => measure === measureOf(rule));
  return found?.target ?? null;
}
