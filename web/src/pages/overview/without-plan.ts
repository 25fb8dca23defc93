import { type Person } from '../../api/payroll-queries.js';

type Seller = Pick<Person, 'id' | 'role' | 'active'>;

/** People who may earn commission: reps must be on a plan, managers may be. */
export function countPlanned(
  people: readonly Seller[],
  assigned: ReadonlySet<string>,
): { readonly sellers: number; readonly onPlan: number; readonly repsWithout: number } {
  const sellers = people.filter(({ role, active }) => active && (role === 'rep' || role === 'manager'));
  const without = sellers.filter(({ id }) => !assigned.has(id));
  return {
    sellers: sellers.length,
    onPlan: sellers.length - without.length,
    repsWithout: without.filter(({ role }) => role === 'rep').length,
  };
}
