import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { fieldOptionsQuery } from '../../../api/plan-queries.js';
import { IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { InlineInput, InlineLines, InlineSelect } from '../../../components/Inline.js';
import { type Condition, type Group, type Leaf } from '../../../features/plans/draft.js';
import { type Field, fieldChoices, operatorsOf, withFormula } from '../../../features/plans/fields.js';
import { isGroup } from '../../../features/plans/rules.js';
import { fieldWords, isFormula, operatorWords, relativePeriods } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { FormulaField } from './FormField.js';

interface ConditionListProps {
  readonly label: string;
  readonly conditions: readonly Condition[];
  readonly fields: readonly Field[];
  /** A condition as it begins. */
  readonly first?: Leaf;
  readonly onChange: (conditions: readonly Condition[]) => void;
}

const emptyLeaf: Leaf = { field: 'stage', fieldType: 'status', operator: 'equals', value: '' };

/** Conditions that all must hold. A group within them needs all or one of its own. */
export function ConditionList({ label, conditions, fields, first = emptyLeaf, onChange }: ConditionListProps) {
  const replace = (index: number, next: Condition | null) =>
    onChange(conditions.flatMap((condition, position) => (position === index ? (next ?? []) : condition)));
  return (
    <fieldset aria-label={label} className={styles.conditions}>
      {conditions.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their position
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
        <LinkButton className="strong" onClick={() => onChange([...conditions, first])}>
          Add condition
        </LinkButton>
        <LinkButton className="strong" onClick={() => onChange([...conditions, { operator: 'or', rules: [first] }])}>
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
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their position
          key={index}
          leaf={leaf}
          fields={fields}
          onChange={(next) => set(group.rules.flatMap((rule, position) => (position === index ? (next ?? []) : rule)))}
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
        choices={withFormula(fieldChoices(fields, leaf.field), leaf.field)}
        onChange={({ currentTarget: { value } }) => onChange(withField(leaf, value, fields))}
      />
      <FormulaField name="what is compared" value={leaf.field} onValue={(field) => onChange({ ...leaf, field })} />
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
  const fieldType = isFormula(field) ? 'number' : (fields.find(({ slug }) => slug === field)?.type ?? leaf.fieldType);
  const operators = operatorsOf[fieldType];
  const operator = operators.includes(leaf.operator) ? leaf.operator : (operators[0] as Leaf['operator']);
  return withValue({ ...leaf, field, fieldType, operator }, valueKind(leaf));
}

function withOperator(leaf: Leaf, operator: Leaf['operator']): Leaf {
  return withValue({ ...leaf, operator }, valueKind(leaf));
}

const kindsOf = {
  none: ['is_set', 'is_not_set', 'is_true', 'is_false'],
  list: ['in', 'not_in'],
  number: ['gt', 'gte', 'lt', 'lte', 'in_last_n_days'],
  day: ['before', 'after'],
  period: ['in_period'],
} as const satisfies Readonly<Record<string, readonly Leaf['operator'][]>>;

/** The value of a new condition, by what is compared. */
const initialValues = {
  none: undefined,
  list: [],
  numbers: [0, 0],
  days: ['', ''],
  number: 0,
  day: '',
  period: 'this_quarter',
  text: '',
} as const;

type ValueKind = keyof typeof initialValues;

function valueKind({ operator, fieldType }: Leaf): ValueKind {
  const isDay = fieldType === 'date' || fieldType === 'timestamp';
  for (const [kind, operators] of Object.entries(kindsOf))
    if ((operators as readonly string[]).includes(operator)) return kind as keyof typeof kindsOf;
  if (operator === 'between') return isDay ? 'days' : 'numbers';
  if (fieldType === 'number' || fieldType === 'currency') return 'number';
  return isDay ? 'day' : 'text';
}

/** The value stays if it is of the kind that is compared now. */
function withValue({ value, ...leaf }: Leaf, before: ValueKind): Leaf {
  const kind = valueKind(leaf);
  if (kind === 'none') return leaf;
  return { ...leaf, value: kind === before && value !== undefined ? value : initialValues[kind] };
}

function ValueInput({ leaf, onChange }: { readonly leaf: Leaf; readonly onChange: (leaf: Leaf) => void }) {
  const set = (value: unknown) => onChange({ ...leaf, value });
  switch (valueKind(leaf)) {
    case 'none':
      return <span />;
    case 'list':
      return <ListInput leaf={leaf} onValue={set} />;
    case 'numbers':
      return <NumbersInput leaf={leaf} onValue={set} />;
    case 'days':
      return <DaysInput leaf={leaf} onValue={set} />;
    case 'number':
      return <DecimalInput label="Value" value={Number(leaf.value ?? 0)} onValue={(value) => set(value ?? 0)} />;
    case 'day':
      return <DayInput label="Day" value={leaf.value} onValue={set} />;
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

/** Free text, with the values that deals have in a field of a fixed set of values. */
function TextInput({ leaf, onValue }: ValueProps) {
  const id = useId();
  const hasOptions = leaf.fieldType === 'select' || leaf.fieldType === 'status';
  return (
    <>
      <InlineInput
        label="Value"
        list={id}
        value={String(leaf.value ?? '')}
        isWrong={leaf.value === ''}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hasOptions ? <Suggestions id={id} slug={leaf.field} /> : null}
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
  const values = toList(leaf);
  return (
    <InlineLines
      label="Values, one on each line"
      placeholder="One on each line"
      values={values}
      isWrong={values.length === 0}
      onValues={onValue}
    />
  );
}

function toList({ value }: Leaf): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface DayInputProps {
  readonly label: string;
  readonly value: unknown;
  readonly onValue: (day: string) => void;
}

function DayInput({ label, value, onValue }: DayInputProps) {
  return (
    <InlineInput
      label={label}
      type="date"
      value={String(value ?? '')}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

function DaysInput({ leaf, onValue }: ValueProps) {
  const [from, to] = toList(leaf);
  return (
    <span className={styles.pair}>
      <DayInput label="First day" value={from} onValue={(day) => onValue([day, to])} />
      <DayInput label="Last day" value={to} onValue={(day) => onValue([from, day])} />
    </span>
  );
}

function NumbersInput({ leaf, onValue }: ValueProps) {
  const [from, to] = toList(leaf);
  return (
    <span className={styles.pair}>
      <DecimalInput label="Minimum" value={Number(from ?? 0)} onValue={(value) => onValue([value ?? 0, to])} />
      <DecimalInput label="Maximum" value={Number(to ?? 0)} onValue={(value) => onValue([from, value ?? 0])} />
    </span>
  );
}

function PeriodInput({ leaf, onValue }: ValueProps) {
  const value = String(leaf.value ?? '');
  const isRelative = relativePeriods.some(([key]) => key === value);
  return (
    <span className={styles.pair}>
      <InlineSelect
        label="Period"
        value={isRelative ? value : 'fixed'}
        choices={[...relativePeriods, ['fixed', 'a fixed period']]}
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
