import { useQuery } from '@tanstack/react-query';
import { earningPeople, peopleCountQuery } from '../../api/person-list-queries.js';
import { combineQueries } from '../../components/Loaded.js';
import { useFilterChoices, usePeopleQuery } from './ListedPeople.js';
import { type PersonFilter } from './person-filter.js';
import { usePersonPages } from './person-pages.js';

interface PeopleOfGrid {
  readonly planId: string;
  readonly filter: PersonFilter;
  readonly pageSize: number;
  readonly isEveryone?: boolean;
}

/** A page of the people on the plan, and how many there are without the filter; of everyone who earns if no one is on it. */
export function usePeopleOfPlan({ planId, filter, pageSize, isEveryone = false }: PeopleOfGrid) {
  const onPlan = useQuery(peopleCountQuery({ planId }));
  const listed = isEveryone || onPlan.data === 0 ? earningPeople : { planId };
  const list = usePersonPages({ ...listed, ...usePeopleQuery(filter) }, pageSize);
  const counted = combineQueries({
    onPlan,
    count: useQuery(peopleCountQuery(listed)),
    filters: useFilterChoices(),
  });
  return { list, counted };
}
