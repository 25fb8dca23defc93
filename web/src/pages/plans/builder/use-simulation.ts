import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { earningPeople, peopleQuery } from '../../../api/person-list-queries.js';
import { draftSimulationQuery } from '../../../api/plan-queries.js';
import { type Simulation, simulationQuery } from '../../../api/queries.js';
import { usePersistedState } from '../../../app/persisted-state.js';
import { useSession } from '../../../app/session.js';
import { type PersonFinder, usePersonFinder } from '../../../features/people/PersonChoice.js';
import { type Rule } from '../../../features/plans/draft.js';
import { measureOf } from '../../../features/plans/rules.js';
import { todayIn } from '../../../shared/format/dates.js';
import { toMonth } from '../../../shared/format/periods.js';
import { type Builder } from './use-builder.js';

export interface SimulationState {
  readonly repId: string;
  readonly period: string;
  readonly people: PersonFinder['choices'];
  readonly finder: PersonFinder;
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
  const [chosen, setChosen] = usePersistedState('plan-simulation', {
    repId: '',
    period: toMonth(todayIn(workspace.timezone)),
  });
  const finder = usePersonFinder({ of: earningPeople, chosen: [chosen.repId] });
  const assigned = useQuery({
    ...peopleQuery({ ...earningPeople, planId: plan?.planId ?? '' }),
    enabled: plan !== null,
  });
  const onPlan = finder.isFound ? [] : (assigned.data?.reps ?? []);
  const isOnPlan = new Set<string>(onPlan.map(({ id }) => id));
  const people = [
    ...onPlan.map(({ id, name }) => [id, name] as const),
    ...finder.choices.filter(([id]) => !isOnPlan.has(id)),
  ];
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
    finder,
    now: now.data,
    before: isInForce(builder) ? before.data : undefined,
    error: now.error,
    isLoading: finder.isPending || assigned.isLoading || now.isLoading || before.isLoading,
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
