import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { earningPeople, personChoicesQuery } from '../../api/person-list-queries.js';
import { type PeopleQuery } from '../../api/team-queries.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { SavedViews } from '../views/SavedViews.js';
import { savedViewsQuery } from '../views/saved-views-query.js';
import { PersonFilters } from './PersonFilters.js';
import { personFieldsQuery, readFieldFilter } from './person-fields.js';
import { type PersonFilter } from './person-filter.js';

interface ListedPeopleProps {
  /** Whose values are offered. Default: those who may earn. */
  readonly of?: Parameters<typeof personChoicesQuery>[0];
  /** Number of people in the unfiltered list. Default: all whose values are offered. */
  readonly count?: number | undefined;
  readonly filter: PersonFilter;
  /** Number of people who pass the filter; undefined while it loads. */
  readonly visible: number | undefined;
  readonly onFilter: (filter: PersonFilter) => void;
  /** Whether people who may not sign in are in the list. */
  readonly hasInactive?: boolean;
  /** A further choice of the list. */
  readonly children?: React.ReactNode;
}

/** What the filters need. A page waits for it before it displays what is below them. */
export function useFilterChoices(of: NonNullable<ListedPeopleProps['of']> = earningPeople) {
  return combineQueries({
    choices: useQuery(personChoicesQuery({ active: of.active, roles: of.roles })),
    fields: useQuery(personFieldsQuery),
    views: useQuery(savedViewsQuery),
  });
}

/** The filters of a list that has a row for each person, and its saved views. */
export function ListedPeople({ of = earningPeople, count, ...filters }: ListedPeopleProps) {
  return (
    <Loaded query={useFilterChoices(of)} height={32}>
      {({ choices }) => (
        <>
          <PersonFilters {...filters} choices={choices} count={count ?? choices.count} />
          <SavedViews />
        </>
      )}
    </Loaded>
  );
}

/** The filter as the service reads it, once no more is typed. */
export function usePeopleQuery(filter: PersonFilter): PeopleQuery {
  const { name, team, title, location, manager, role, fields } = filter;
  const [words] = useDebouncedValue(name, 300);
  return {
    ...(words === undefined ? {} : { words }),
    ...(team === undefined ? {} : { team }),
    ...(title === undefined ? {} : { title }),
    ...(location === undefined ? {} : { location }),
    ...(manager === undefined ? {} : { managerId: manager }),
    ...(role === undefined ? {} : { role }),
    ...(fields === undefined ? {} : { fields: JSON.stringify(readFieldFilter(fields)) }),
  };
}
