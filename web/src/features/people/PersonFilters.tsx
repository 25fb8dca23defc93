import { useQuery } from '@tanstack/react-query';
import { type PersonChoices } from '../../api/person-list-queries.js';
import { roleNames } from '../../app/navigation.js';
import blocks from '../../components/Blocks.module.css';
import { LinkButton } from '../../components/Button.js';
import { FilterField } from '../../components/FilterField.js';
import { InlineSelect } from '../../components/Inline.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import {
  changeFieldFilter,
  fieldInWords,
  type PersonField,
  personFieldsQuery,
  readFieldFilter,
} from './person-fields.js';
import { isFiltered, noPersonFilter, type PersonFilter } from './person-filter.js';

interface PersonFiltersProps {
  /** The values that are offered. */
  readonly choices: PersonChoices;
  /** Number of people in the unfiltered list. */
  readonly count: number;
  readonly filter: PersonFilter;
  /** Number of people who pass the filter; undefined while it loads. */
  readonly visible: number | undefined;
  readonly onFilter: (filter: PersonFilter) => void;
  /** Whether people who may not sign in are in the list. */
  readonly hasInactive?: boolean;
  /** A further choice of the list. */
  readonly children?: React.ReactNode;
}

const restrictions = [
  ['team', 'teams', 'All teams'],
  ['title', 'titles', 'All titles'],
  ['location', 'locations', 'All locations'],
] as const;

/** Restricts a list of people by words and by the values that people have; choices without values are left out. */
export function PersonFilters(props: PersonFiltersProps) {
  const { choices, count, filter, visible, onFilter, hasInactive = false, children } = props;
  const { data: fields = [] } = useQuery(personFieldsQuery);
  const chosen = readFieldFilter(filter.fields);
  const set = (change: PersonFilter) => onFilter({ ...filter, ...change });
  return (
    <div className={blocks.filters}>
      <FilterField
        label="Name, manager, team or role"
        text={filter.name ?? ''}
        onText={(name) => set({ name: name === '' ? undefined : name })}
      />
      {restrictions.map(([field, values, all]) => (
        <Restriction
          key={field}
          label={`Filter by ${field}`}
          all={all}
          values={choices[values].map((value) => [value, value])}
          value={filter[field]}
          onValue={(value) => set({ [field]: value })}
        />
      ))}
      <Restriction
        label="Filter by manager"
        all="All managers"
        values={choices.managers.map(({ id, name }) => [id, name])}
        value={filter.manager}
        name="a manager who has left"
        onValue={(manager) => set({ manager })}
      />
      <Restriction
        label="Filter by role"
        all="All roles"
        values={choices.roles.length < 2 ? [] : choices.roles.map((role) => [role, roleNames[role]])}
        value={filter.role}
        name={filter.role && roleNames[filter.role]}
        onValue={(role) => set({ role: role as PersonFilter['role'] })}
      />
      {fields.map((field) => (
        <Restriction
          key={field.slug}
          label={`Filter by ${field.label}`}
          all={`${field.label}: all`}
          values={valuesOfField(choices, field)}
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
            {visible === undefined ? '' : `${formatNumber(visible)} of ${formatCount(count, 'person', 'people')}`}
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

/** The values that people have, in words. */
function valuesOfField(choices: PersonChoices, field: PersonField): readonly Value[] {
  const values = choices.fields[field.slug] ?? [];
  return values.map((value) => [String(value), fieldInWords(field, { fields: { [field.slug]: value } }) ?? '']);
}
