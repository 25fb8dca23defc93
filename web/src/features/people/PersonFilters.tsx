import { useQuery } from '@tanstack/react-query';
import { type Person } from '../../api/payroll-queries.js';
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
import { type PersonFilter } from './person-filter.js';

interface PersonFiltersProps {
  /** Whose values are offered. */
  readonly people: readonly Person[];
  readonly filter: PersonFilter;
  /** Number of people who pass the filter. */
  readonly shown: number;
  readonly onFilter: (filter: PersonFilter) => void;
  /** Whether people who may not sign in are in the list. */
  readonly hasInactive?: boolean;
  /** A further choice of the list. */
  readonly children?: React.ReactNode;
}

const choices = { team: 'All teams', title: 'All titles', location: 'All locations' } as const;

/** Restricts a list of people by words, team, title and location; choices without values are left out. */
export function PersonFilters(props: PersonFiltersProps) {
  const { people, filter, shown, onFilter, hasInactive = false, children } = props;
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
      {(Object.keys(choices) as (keyof typeof choices)[]).map((field) => {
        const values = valuesOf(people, field);
        if (values.length === 0) return null;
        return (
          <InlineSelect
            key={field}
            label={`Filter by ${field}`}
            value={filter[field] ?? ''}
            choices={[['', choices[field]], ...values.map((value) => [value, value] as const)]}
            onChange={({ currentTarget }) => set({ [field]: currentTarget.value || undefined })}
          />
        );
      })}
      {fields.map((field) => {
        const values = valuesOfField(people, field);
        if (values.length === 0) return null;
        return (
          <InlineSelect
            key={field.slug}
            label={`Filter by ${field.label}`}
            value={chosen[field.slug] ?? ''}
            choices={[['', `${field.label}: all`], ...values]}
            onChange={({ currentTarget }) =>
              set({ fields: changeFieldFilter(filter.fields, field.slug, currentTarget.value) })
            }
          />
        );
      })}
      {hasInactive ? (
        <InlineSelect
          label="Filter by state"
          value={filter.state ?? ''}
          choices={[
            ['', 'Active and inactive'],
            ['active', 'Active'],
            ['inactive', 'Inactive'],
          ]}
          onChange={({ currentTarget }) => set({ state: (currentTarget.value || undefined) as PersonFilter['state'] })}
        />
      ) : null}
      {children}
      {shown === people.length ? null : (
        <>
          <span className="dim" aria-live="polite">
            {shown} of {formatCount(people.length, 'person', 'people')}
          </span>
          <LinkButton onClick={() => onFilter({})}>Clear the filters</LinkButton>
        </>
      )}
    </div>
  );
}

function valuesOf(people: readonly Person[], field: keyof typeof choices): string[] {
  return [...new Set(people.flatMap((person) => person[field] ?? []))].sort(compareTexts);
}

/** The values that people have, in words. */
function valuesOfField(people: readonly Person[], field: PersonField): (readonly [value: string, label: string])[] {
  const found = new Map<string, string>();
  for (const person of people) {
    const words = fieldInWords(field, person);
    if (words !== null) found.set(String(person.fields?.[field.slug]), words);
  }
  return [...found].sort(([, a], [, b]) => compareTexts(a, b));
}
