import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMappingQuery } from '../../api/import-queries.js';
import { dealFieldsQuery, fieldOptionsQuery } from '../../api/plan-queries.js';
import { DayRange } from '../../components/DayRange.js';
import { Filters } from '../../components/Filters.js';
import { InlineInput, InlineSelect } from '../../components/Inline.js';
import { listFreeFields } from '../../features/deals/edited-deal.js';
import { InlinePersonChoice } from '../../features/people/PersonChoice.js';
import { planFields } from '../../features/plans/fields.js';
import { type DealSearch, dealShows, isDealShow } from './deal-search.js';

interface DealFiltersProps {
  readonly search: DealSearch;
  readonly onChange: (change: DealSearch) => void;
}

/** What the list of deals is filtered by. */
export function DealFilters({ search, onChange }: DealFiltersProps) {
  const { data: stages = [] } = useQuery(fieldOptionsQuery('stage'));
  return (
    <Filters onSubmit={() => undefined}>
      <TypedFilter
        label="Name, ID or a text of a field"
        placeholder="Name, ID or text"
        value={search.query ?? ''}
        onType={(query) => onChange({ query })}
      />
      <InlineSelect
        label="Which deals"
        value={search.show ?? ''}
        choices={[['', 'All deals'], ...Object.entries(dealShows).map(([show, [words]]) => [show, words] as const)]}
        onChange={({ currentTarget: { value } }) => onChange({ show: isDealShow(value) ? value : undefined })}
      />
      <InlinePersonChoice
        label="Person"
        value={search.repId ?? ''}
        first={[['', 'Everyone']]}
        onChoose={(repId) => onChange({ repId: repId || undefined })}
      />
      <InlineSelect
        label="Stage"
        value={search.stage ?? ''}
        choices={[['', 'Every stage'], ...stages.map(({ value, label }) => [value, label] as const)]}
        onChange={({ currentTarget }) => onChange({ stage: currentTarget.value || undefined })}
      />
      <FieldFilter search={search} onChange={onChange} />
      <DayRange label="Closed" from={search.from} to={search.to} onChange={onChange} />
    </Filters>
  );
}

/** One value of one field of the workspace, such as a territory. */
function FieldFilter({ search: { field, value = '' }, onChange }: DealFiltersProps) {
  const { data: fields = [] } = useQuery(dealFieldsQuery);
  const { data: mapping } = useQuery(fieldMappingQuery);
  const { data: options = [] } = useQuery({ ...fieldOptionsQuery(field ?? ''), enabled: field !== undefined });
  const own = mapping === undefined ? [] : listFreeFields(planFields(fields), {}, mapping.standard);
  const label = own.find(({ slug }) => slug === field)?.label ?? field;
  return (
    <>
      <InlineSelect
        label="Field"
        value={field ?? ''}
        choices={[['', 'Any field'], ...own.map((each) => [each.slug, each.label] as const)]}
        onChange={({ currentTarget }) => onChange({ field: currentTarget.value || undefined, value: undefined })}
      />
      {field === undefined ? null : (
        <>
          <TypedFilter
            key={field}
            label={`Value of ${label}`}
            placeholder={`Value of ${label}`}
            value={value}
            list="deal-field-values"
            onType={(typed) => onChange({ value: typed })}
          />
          <datalist id="deal-field-values">
            {options.map((option) => (
              <option key={option.value} value={option.value} />
            ))}
          </datalist>
        </>
      )}
    </>
  );
}

interface TypedFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly list?: string;
  readonly onType: (text: string | undefined) => void;
}

/** A filter by a text, which is applied when the typing pauses. */
function TypedFilter({ value, onType, ...rest }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  const [visible, setVisible] = useState(value);
  // The input follows the address, such as when the filters are cleared.
  if (visible !== value) {
    setVisible(value);
    if (typed.trim() !== value) setTyped(value);
  }
  const apply = useDebouncedCallback((text: string) => onType(text.trim() || undefined), 300);
  return (
    <InlineInput
      {...rest}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        apply(currentTarget.value);
      }}
    />
  );
}
