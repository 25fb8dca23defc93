import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePeopleById } from '../../api/people-by-id.js';
import { type PeopleFilter, peopleOnPage, peopleQuery } from '../../api/person-list-queries.js';
import { Choice, TextField } from '../../components/Field.js';
import { InlineInput, InlineSelect } from '../../components/Inline.js';
import { formatCount } from '../../shared/format/numbers.js';

type ListedPerson = readonly [id: string, name: string];

export interface PersonFinder {
  /** The people whom a choice offers: those who are found, and those who are chosen. */
  readonly choices: readonly ListedPerson[];
  /** Number of people among whom is searched. */
  readonly count: number;
  /** Whether some of them are not offered, so that a person has to search. */
  readonly isLong: boolean;
  /** Whether the choices are those who are found by words. */
  readonly isFound: boolean;
  readonly isPending: boolean;
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

interface FinderOptions {
  /** Who may be chosen. Default: everyone. */
  readonly of?: PeopleFilter;
  /** The ids that are chosen, whose names are offered in any case. */
  readonly chosen?: readonly string[];
  /** The ids that are not offered. */
  readonly except?: readonly string[];
  /** With more people than this, one can search. */
  readonly longFrom?: number;
}

/** The people of a choice. The service finds them by words, so that a choice among many people loads few. */
export function usePersonFinder(options: FinderOptions = {}): PersonFinder {
  const { of = {}, chosen = [], except = [], longFrom = peopleOnPage } = options;
  const [search, setSearch] = useState('');
  const [words] = useDebouncedValue(search.trim(), 200);
  const found = useQuery(peopleQuery(words === '' ? of : { ...of, words }));
  const all = useQuery(peopleQuery(of));
  const reps = found.data?.reps ?? [];
  const offered = new Set(reps.map(({ id }) => id));
  const others = usePeopleById(found.data === undefined ? [] : chosen.filter((id) => !offered.has(id)));
  const left = new Set(except);
  const count = all.data?.count ?? 0;
  return {
    choices: [...(others.data?.values() ?? []), ...reps].flatMap(({ id, name }) =>
      left.has(id) ? [] : [[id, name] as const],
    ),
    count,
    isLong: count > longFrom,
    isFound: words !== '' && !found.isPlaceholderData,
    isPending: found.isPending,
    search,
    onSearch: setSearch,
  };
}

/** The field that restricts whom the choices below it offer; nothing where they offer everyone. */
export function FindPerson({ finder: { count, isLong, search, onSearch } }: { readonly finder: PersonFinder }) {
  if (!isLong) return null;
  return (
    <TextField
      label="Find a person"
      type="search"
      hint={`The list has the people with these words, of ${formatCount(count, 'person', 'people')}.`}
      value={search}
      onChange={({ currentTarget }) => onSearch(currentTarget.value)}
    />
  );
}

interface PersonChoiceProps
  extends Omit<React.ComponentProps<typeof Choice>, 'choices' | 'value'>,
    Omit<FinderOptions, 'chosen' | 'longFrom'> {
  readonly value: string;
  /** What else can be chosen, before the people. */
  readonly first?: readonly ListedPerson[];
  /** What a person is called in the choice. Default: the name. */
  readonly words?: (name: string) => string;
}

/** A choice of one person in a form. */
export function PersonChoice({ of, except, first = [], words = String, ...rest }: PersonChoiceProps) {
  const finder = usePersonFinder({ of, except, chosen: [rest.value] });
  return (
    <>
      <FindPerson finder={finder} />
      <Choice {...rest} choices={[...first, ...finder.choices.map(([id, name]) => [id, words(name)] as const)]} />
    </>
  );
}

interface InlinePersonProps extends Omit<FinderOptions, 'chosen' | 'longFrom'> {
  readonly label: string;
  readonly value: string;
  readonly first?: readonly ListedPerson[];
  readonly onChoose: (value: string) => void;
}

/** A choice of one person within a row of filters. */
export function InlinePersonChoice({ of, except, first = [], label, value, onChoose }: InlinePersonProps) {
  const { isLong, search, onSearch, choices } = usePersonFinder({ of, except, chosen: [value] });
  return (
    <>
      {isLong ? (
        <InlineInput
          type="search"
          label={`${label}: find by name`}
          placeholder="Find a person"
          value={search}
          onChange={({ currentTarget }) => onSearch(currentTarget.value)}
        />
      ) : null}
      <InlineSelect
        label={label}
        value={value}
        choices={[...first, ...choices]}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      />
    </>
  );
}
