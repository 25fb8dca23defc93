import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { fieldOptionsQuery } from '../../../api/plan-queries.js';
import { IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { InlineInput, InlineSelect } from '../../../components/Inline.js';
import { type Condition, type Group, isGroup, type Leaf } from '../../../plans/draft.js';
import { type Field, fieldChoices, operatorsOf } from '../../../plans/fields.js';
import { fieldWords, operatorWords } from '../../../plans/words.js';
import styles from './Builder.module.css';

interface ConditionListProps {
  readonly label: string;
  readonly conditions: readonly Condition[];
  readonly fields: readonly Field[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

const emptyLeaf: Leaf = { field: 'stage', fieldType: 'status', operator: 'equals', value: '' };

/** Conditions that all must hold. A group within them needs all or one of its own. */
export function ConditionList({ label, conditions, fields, onChange }: ConditionListProps) {
  const replace = (index: number, next: Condition | null) =>
    onChange(conditions.flatMap((one, place) => (place === index ? (next ?? []) : one)));
  return (
    <fieldset aria-label={label} className={styles.conditions}>
      {conditions.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their place
        <div key={index} className={styles.condition}>
          <span className={styles.joint}>{index === 0 ? '' : 'and'}</span>
          {isGroup(condition) ? (
            <GroupLines group={condition} fields={fields} onChange={(next) => replace(index, next)} />
          ) : (
            <LeafLine leaf={condition} fields={fields} onChange={(next) => replace(index, next)} />
          )}
        </div>
      ))}
      <div className={styles.adders}>
        <LinkButton className="strong" onClick={() => onChange([...conditions, emptyLeaf])}>
          Add condition
        </LinkButton>
        <LinkButton
          className="strong"
          onClick={() => onChange([...conditions, { operator: 'or', rules: [emptyLeaf] }])}
        >
          Add group
        </LinkButton>
      </div>
    </fieldset>
  );
}

interface GroupLinesProps {
  readonly group: Group;
  readonly fields: readonly Field[];
  readonly onChange: (group: Group | null) => void;
}

function GroupLines({ group, fields, onChange }: GroupLinesProps) {
  const set = (rules: readonly Leaf[]) => onChange(rules.length === 0 ? null : { ...group, rules });
  return (
    <div className={styles.group}>
      <InlineSelect
        label="How many conditions of the group must hold"
        value={group.operator}
        choices={[
          ['or', 'One of these holds'],
          ['and', 'All of these hold'],
        ]}
        onChange={({ currentTarget: { value } }) => onChange({ ...group, operator: value === 'and' ? 'and' : 'or' })}
      />
      {group.rules.map((leaf, index) => (
        <LeafLine
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their place
          key={index}
          leaf={leaf}
          fields={fields}
          onChange={(next) => set(group.rules.flatMap((one, place) => (place === index ? (next ?? []) : one)))}
        />
      ))}
      <LinkButton className="strong" onClick={() => set([...group.rules, emptyLeaf])}>
        Add condition to the group
      </LinkButton>
    </div>
  );
}

interface LeafLineProps {
  readonly leaf: Leaf;
  readonly fields: readonly Field[];
  /** Null removes it. */
  readonly onChange: (leaf: Leaf | null) => void;
}

function LeafLine({ leaf, fields, onChange }: LeafLineProps) {
  const type = fields.find(({ slug }) => slug === leaf.field)?.type ?? leaf.fieldType;
  const operators = operatorsOf[type];
  const choices = operators.includes(leaf.operator) ? operators : [leaf.operator, ...operators];
  return (
    <div className={styles.leaf}>
      <InlineSelect
        label="Field"
        value={leaf.field}
        choices={fieldChoices(fields, leaf.field)}
        onChange={({ currentTarget: { value } }) => onChange(withField(leaf, value, fields))}
      />
      <InlineSelect
        label="Comparison"
        value={leaf.operator}
        choices={choices.map((operator) => [operator, operatorWords[operator as Leaf['operator']]] as const)}
        onChange={({ currentTarget: { value } }) => onChange(withOperator(leaf, value as Leaf['operator']))}
      />
      <ValueInput leaf={leaf} onChange={onChange} />
      <IconButton
        icon={IconX}
        label={`Remove the condition on ${fieldWords(leaf.field)}`}
        onClick={() => onChange(null)}
      />
    </div>
  );
}

function withField(leaf: Leaf, field: string, fields: readonly Field[]): Leaf {
  const fieldType = fields.find(({ slug }) => slug === field)?.type ?? leaf.fieldType;
  const operators = operatorsOf[fieldType];
  const operator = operators.includes(leaf.operator) ? leaf.operator : (operators[0] as Leaf['operator']);
  return withOperator({ ...leaf, field, fieldType }, operator);
}

const kindsOf = {
  none: ['is_set', 'is_not_set', 'is_true', 'is_false'],
  list: ['in', 'not_in'],
  pair: ['between'],
  number: ['gt', 'gte', 'lt', 'lte', 'in_last_n_days'],
  day: ['before', 'after'],
} as const satisfies Readonly<Record<string, readonly Leaf['operator'][]>>;

function valueKind({ operator, fieldType }: Leaf): 'none' | 'list' | 'pair' | 'number' | 'day' | 'period' | 'text' {
  for (const [kind, operators] of Object.entries(kindsOf))
    if ((operators as readonly string[]).includes(operator)) return kind as keyof typeof kindsOf;
  if (operator === 'in_period') return 'period';
  if (fieldType === 'number' || fieldType === 'currency') return 'number';
  return fieldType === 'date' || fieldType === 'timestamp' ? 'day' : 'text';
}

/** A value keeps its form if the new comparison has the same. */
function withOperator(leaf: Leaf, operator: Leaf['operator']): Leaf {
  const { value: _, ...rest } = leaf;
  const next: Leaf = { ...rest, operator };
  const kind = valueKind(next);
  if (kind === 'none') return next;
  if (kind === valueKind(leaf) && leaf.value !== undefined) return { ...next, value: leaf.value };
  const isDay = leaf.fieldType === 'date' || leaf.fieldType === 'timestamp';
  const initial = { list: [], pair: isDay ? ['', ''] : [0, 0], number: 0, day: '', period: 'this_quarter', text: '' };
  return { ...next, value: initial[kind] };
}

function ValueInput({ leaf, onChange }: { readonly leaf: Leaf; readonly onChange: (leaf: Leaf) => void }) {
  const set = (value: unknown) => onChange({ ...leaf, value });
  switch (valueKind(leaf)) {
    case 'none':
      return <span className={styles.noValue} />;
    case 'list':
      return <ListInput leaf={leaf} onValue={set} />;
    case 'pair':
      return <PairInput leaf={leaf} onValue={set} />;
    case 'number':
      return <DecimalInput label="Value" value={Number(leaf.value ?? 0)} onValue={(value) => set(value ?? 0)} />;
    case 'day':
      return (
        <InlineInput
          label="Day"
          type="date"
          value={String(leaf.value ?? '')}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      );
    case 'period':
      return <PeriodInput leaf={leaf} onValue={set} />;
    default:
      return <TextInput leaf={leaf} onValue={set} />;
  }
}

interface ValueProps {
  readonly leaf: Leaf;
  readonly onValue: (value: unknown) => void;
}

/** Free text with the values that deals have. */
function TextInput({ leaf, onValue }: ValueProps) {
  const id = useId();
  return (
    <>
      <InlineInput
        label="Value"
        list={id}
        value={String(leaf.value ?? '')}
        isWrong={leaf.value === ''}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <Suggestions id={id} slug={leaf.field} />
    </>
  );
}

function Suggestions({ id, slug }: { readonly id: string; readonly slug: string }) {
  const { data = [] } = useQuery(fieldOptionsQuery(slug));
  return (
    <datalist id={id}>
      {data.slice(0, 200).map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </datalist>
  );
}

function ListInput({ leaf, onValue }: ValueProps) {
  const values = Array.isArray(leaf.value) ? leaf.value : [];
  return (
    <InlineInput
      label="Values, separated by commas"
      placeholder="One, another"
      defaultValue={values.join(', ')}
      isWrong={values.length === 0}
      onChange={({ currentTarget }) =>
        onValue(
          currentTarget.value
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== ''),
        )
      }
    />
  );
}

function PairInput({ leaf, onValue }: ValueProps) {
  const [from, to] = Array.isArray(leaf.value) ? (leaf.value as unknown[]) : [];
  const isDay = leaf.fieldType === 'date' || leaf.fieldType === 'timestamp';
  if (isDay)
    return (
      <span className={styles.pair}>
        <InlineInput
          label="First day"
          type="date"
          value={String(from ?? '')}
          onChange={({ currentTarget }) => onValue([currentTarget.value, to])}
        />
        <InlineInput
          label="Last day"
          type="date"
          value={String(to ?? '')}
          onChange={({ currentTarget }) => onValue([from, currentTarget.value])}
        />
      </span>
    );
  return (
    <span className={styles.pair}>
      <DecimalInput label="Least value" value={Number(from ?? 0)} onValue={(value) => onValue([value ?? 0, to])} />
      <DecimalInput label="Largest value" value={Number(to ?? 0)} onValue={(value) => onValue([from, value ?? 0])} />
    </span>
  );
}

const relative = [
  ['this_month', 'the month of the close date'],
  ['last_month', 'the month before'],
  ['this_quarter', 'the quarter of the close date'],
  ['last_quarter', 'the quarter before'],
  ['this_year', 'the year of the close date'],
  ['last_year', 'the year before'],
] as const;

function PeriodInput({ leaf, onValue }: ValueProps) {
  const value = String(leaf.value ?? '');
  const isRelative = relative.some(([key]) => key === value);
  return (
    <span className={styles.pair}>
      <InlineSelect
        label="Period"
        value={isRelative ? value : 'fixed'}
        choices={[...relative, ['fixed', 'a fixed period']]}
        onChange={({ currentTarget }) =>
          onValue(currentTarget.value === 'fixed' ? String(new Date().getFullYear()) : currentTarget.value)
        }
      />
      {isRelative ? null : (
        <InlineInput
          label="Fixed period, such as 2026-Q3"
          value={value}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </span>
  );
}
