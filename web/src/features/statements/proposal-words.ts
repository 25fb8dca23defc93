import { type Statement } from '../../api/queries.js';

type Proposed = NonNullable<Statement['proposedAdjustments']>[number];

/** Who has proposed the amount and who could decide it. Reps read neither. */
export function describeDeciders({ proposedBy, deciders }: Pick<Proposed, 'proposedBy' | 'deciders'>): string {
  if (deciders === undefined) return 'Another person decides.';
  const by = proposedBy === undefined ? '' : `Proposed by ${proposedBy.name}. `;
  const names = deciders.map(({ name }) => name);
  if (names.length === 0) return `${by}No one may decide it now: the people of the limit have left, or proposed it.`;
  return `${by}${new Intl.ListFormat('en', { type: 'disjunction' }).format(names.slice(0, 5))} can decide.`;
}
