import { InlineInput, InlineSelect } from '../../../components/Inline.js';
import { type Field, measureChoices, withFormula } from '../../../features/plans/fields.js';
import { isFormula } from '../../../features/plans/words.js';
import styles from './Builder.module.css';

/** A visible label above a control that has its own name. */
export function FormField({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className={styles.field}>
      <span className={styles.fieldLabel} aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
  );
}

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  /** The name for screen readers, which has to say what the choice is about. Default: the label. */
  readonly name?: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, label: string])[];
  readonly onValue: (value: Value) => void;
}

export function SelectField<Value extends string>({
  label,
  name = label,
  value,
  choices,
  onValue,
}: SelectFieldProps<Value>) {
  return (
    <FormField label={label}>
      <InlineSelect
        label={name}
        value={value}
        choices={choices}
        onChange={({ currentTarget }) => onValue(currentTarget.value as Value)}
      />
    </FormField>
  );
}

interface NumberFieldSelectProps extends Omit<SelectFieldProps<string>, 'choices' | 'value'> {
  readonly value: string | undefined;
  readonly fields: readonly Field[];
}

/** A choice of a field of deals that can be multiplied and counted, of the number of deals, or of a formula. */
export function NumberFieldSelect({ value, fields, ...rest }: NumberFieldSelectProps) {
  return (
    <>
      <SelectField {...rest} value={value ?? ''} choices={withFormula(measureChoices(fields, value), value)} />
      <FormulaField name={rest.name ?? rest.label} value={value} onValue={rest.onValue} />
    </>
  );
}

interface FormulaFieldProps {
  /** What the formula computes. */
  readonly name: string;
  readonly value: string | undefined;
  readonly onValue: (value: string) => void;
}

/** The text of a formula. A field has none. */
export function FormulaField({ name, value, onValue }: FormulaFieldProps) {
  if (value === undefined || !isFormula(value)) return null;
  return (
    <FormField label="Formula">
      <InlineInput
        label={`Formula: ${name}`}
        value={value.replace(/^=\s?/, '')}
        onChange={({ currentTarget }) => onValue(`= ${currentTarget.value}`)}
        title="+ - * / ( ) min max abs round default, and fields; others than letters and digits in [ ]"
      />
    </FormField>
  );
}
