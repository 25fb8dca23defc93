import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { mayEarn, type Person, peopleQuery } from '../../api/payroll-queries.js';
import { type PeopleQuery } from '../../api/team-queries.js';
import { Skeleton } from '../../components/States.js';
import { containsText } from '../../shared/format/texts.js';
import { SavedViews } from '../views/SavedViews.js';
import { savedViewsQuery } from '../views/saved-views-query.js';
import { PersonFilters } from './PersonFilters.js';
import { personFieldsQuery, readFieldFilter } from './person-fields.js';
import { filterPeople, isFiltered, type PersonFilter } from './person-filter.js';

interface ListedPeopleProps {
  /** The people of the unfiltered list; everyone who may earn if the service sends the list. */
  readonly repIds?: readonly string[];
  readonly filter: PersonFilter;
  readonly visible: number;
  readonly onFilter: (filter: PersonFilter) => void;
  readonly words?: string;
}

/** The filters of a list that has a row for each person, and its saved views. */
export function ListedPeople({ repIds, filter, visible, onFilter, ...words }: ListedPeopleProps) {
  const people = useQuery(peopleQuery);
  const fields = useQuery(personFieldsQuery);
  const views = useQuery(savedViewsQuery);
  if (people.isPending || fields.isPending || views.isPending) return <Skeleton height={32} />;
  const everyone = people.data?.reps ?? [];
  const listed = new Set(repIds);
  const offered = everyone.filter((person) => (repIds === undefined ? mayEarn(person) : listed.has(person.id)));
  return (
    <>
      <PersonFilters {...{ people: offered, everyone, filter, visible, onFilter, ...words }} />
      <SavedViews />
    </>
  );
}

/** Whether a person of a list passes the filter. Those who are no longer known pass by their name only. */
export function usePersonFilter(filter: PersonFilter): (repId: string, name: string) => boolean {
  const everyone: readonly Person[] = useQuery(peopleQuery).data?.reps ?? [];
  if (!isFiltered(filter)) return () => true;
  const known = new Set(everyone.map(({ id }) => id));
  const found = new Set(filterPeople(everyone, everyone, filter).map(({ id }) => id));
  const { name: words, ...values } = filter;
  return (repId, name) =>
    known.has(repId) ? found.has(repId) : !isFiltered(values) && containsText(words ?? '', name);
}

/** The filter as the service reads it, once no more is typed. */
export function usePeopleQuery(filter: PersonFilter): PeopleQuery {
  const { name, team, title, location, manager, role, fields } = filter;
  const [query] = useDebouncedValue(name, 300);
  return {
    ...(query === undefined ? {} : { query }),
    ...(team === undefined ? {} : { team }),
    ...(title === undefined ? {} : { title }),
    ...(location === undefined ? {} : { location }),
    ...(manager === undefined ? {} : { managerId: manager }),
    ...(role === undefined ? {} : { role }),
    ...(fields === undefined ? {} : { fields: JSON.stringify(readFieldFilter(fields)) }),
  };
}
