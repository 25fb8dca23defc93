import { EmptyState } from '../../components/States.js';

/** What a person without a plan sees instead of a plan. */
export function NoPlan() {
  return (
    <EmptyState title="You are on no plan">An admin assigns plans. Your deals earn commission from then on.</EmptyState>
  );
}
