import { useQuery } from '@tanstack/react-query';
import { type Person } from '../../api/payroll-queries.js';
import { roleNames } from '../../app/navigation.js';
import blocks from '../../components/Blocks.module.css';
import { LinkButton } from '../../components/Button.js';
import { FilterField } from '../../components/FilterField.js';
import { InlineSelect } from '../../components/Inline.js';
import { formatCount } from '../../shared/format/numbers.js';
import { compareTexts } from '../../shared/format/texts.js';
import {
  changeFieldFilter,
  fieldInWords,
  type PersonField,
  personFieldsQuery,
  readFieldFilter,
} from './person-fields.js';
import { isFiltered, noPersonFilter, type PersonFilter } from './person-filter.js';

interface PersonFiltersProps {
  /** Whose values are offered. */
  readonly people: readonly Person[];
  /** Also those who are in no list, who may be managers. Default: the people. */
  readonly everyone?: readonly Person[];
  readonly filter: PersonFilter;
  /** Number of people who pass the filter. */
  readonly visible: number;
  /** What the words are compared with, if that is less than everything that is known of a person. */
  readonly words?: string;
  readonly onFilter: (filter: PersonFilter) => void;
  /** Whether people who may not sign in are in the list. */
  readonly hasInactive?: boolean;
  /** A further choice of the list. */
  readonly children?: React.ReactNode;
}

const choices = { team: 'All teams', title: 'All titles', location: 'All locations' } as const;

/** Restricts a list of people by words and by the values that people have; choices without values are left out. */
export function PersonFilters(props: PersonFiltersProps) {
  const { people, everyone = people, filter, visible, onFilter, hasInactive = false, children } = props;
  const { data: fields = [] } = useQuery(personFieldsQuery);
  const chosen = readFieldFilter(filter.fields);
  const set = (change: PersonFilter) => onFilter({ ...filter, ...change });
  return (
    <div className={blocks.filters}>
      <FilterField
        label={props.words ?? 'Name, manager, team or role'}
        text={filter.name ?? ''}
        onText={(name) => set({ name: name === '' ? undefined : name })}
      />
      {(Object.keys(choices) as (keyof typeof choices)[]).map((field) => (
        <Restriction
          key={field}
          label={`Filter by ${field}`}
          all={choices[field]}
          values={valuesOf(people, field)}
          value={filter[field]}
          onValue={(value) => set({ [field]: value })}
        />
      ))}
      <Restriction
        label="Filter by manager"
        all="All managers"
        values={managersOf(people, everyone)}
        value={filter.manager}
        name={everyone.find(({ id }) => id === filter.manager)?.name ?? 'a manager who has left'}
        onValue={(manager) => set({ manager })}
      />
      <Restriction
        label="Filter by role"
        all="All roles"
        values={rolesOf(people)}
        value={filter.role}
        name={filter.role && roleNames[filter.role]}
        onValue={(role) => set({ role: role as PersonFilter['role'] })}
      />
      {fields.map((field) => (
        <Restriction
          key={field.slug}
          label={`Filter by ${field.label}`}
          all={`${field.label}: all`}
          values={valuesOfField(people, field)}
          value={chosen[field.slug]}
          onValue={(value) => set({ fields: changeFieldFilter(filter.fields, field.slug, value ?? '') })}
        />
      ))}
      {hasInactive ? (
        <Restriction
          label="Filter by state"
          all="Active and inactive"
          values={states}
          value={filter.state}
          onValue={(state) => set({ state: state as PersonFilter['state'] })}
        />
      ) : null}
      {children}
      {isFiltered(filter) ? (
        <>
          <span className="dim" aria-live="polite">
            {visible} of {formatCount(people.length, 'person', 'people')}
          </span>
          <LinkButton onClick={() => onFilter(noPersonFilter)}>Clear the filters</LinkButton>
        </>
      ) : null}
    </div>
  );
}

type Value = readonly [value: string, label: string];

const states: readonly Value[] = [
  ['active', 'Active'],
  ['inactive', 'Inactive'],
];

interface RestrictionProps {
  readonly label: string;
  /** The words for no restriction. */
  readonly all: string;
  readonly values: readonly Value[];
  readonly value: string | undefined;
  /** The words for the value, if no row has it. */
  readonly name?: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}

/** A choice of one value. It is left out where there is nothing to choose. */
function Restriction({ label, all, values, value, name, onValue }: RestrictionProps) {
  if (values.length === 0 && value === undefined) return null;
  // A value of the address that is in no row of the list is shown, too, since it restricts the list.
  const unlisted =
    value === undefined || values.some(([known]) => known === value) ? [] : [[value, name ?? value] as const];
  return (
    <InlineSelect
      label={label}
      value={value ?? ''}
      choices={[['', all], ...values, ...unlisted]}
      onChange={({ currentTarget }) => onValue(currentTarget.value || undefined)}
    />
  );
}

/** Who manages people of the list today. */
function managersOf(people: readonly Person[], everyone: readonly Person[]): readonly Value[] {
  const ids = new Set(people.map(({ managerId }) => managerId));
  return everyone.filter(({ id }) => ids.has(id)).map(({ id, name }) => [id, name]);
}

/** The roles of a list with several. */
function rolesOf(people: readonly Person[]): readonly Value[] {
  const roles = [...new Set(people.map(({ role }) => role))];
  return roles.length < 2 ? [] : roles.map((role) => [role, roleNames[role]]);
}

function valuesOf(people: readonly Person[], field: keyof typeof choices): readonly Value[] {
  const values = [...new Set(people.flatMap((person) => person[field] ?? []))];
  return values.sort(compareTexts).map((value) => [value, value]);
}

/** The values that people have, in words. */
function valuesOfField(people: readonly Person[], field: PersonField): readonly Value[] {
  const found = new Map<string, string>();
  for (const person of people) {
    const words = fieldInWords(field, person);
    if (words !== null) found.set(String(person.fields?.[field.slug]), words);
  }
  return [...found].sort(([, a], [, b]) => compareTexts(a, b));
}
