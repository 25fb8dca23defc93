import { type ComponentProps, useId } from 'react';
import { amountProblem } from '../shared/format/amounts.js';
import { maxDay } from '../shared/format/dates.js';
import styles from './Field.module.css';

interface Labelled {
  readonly label: string;
  readonly hint?: React.ReactNode;
  readonly problem?: string | null;
}

interface FrameProps extends Labelled {
  readonly children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => React.ReactNode;
}

/** A label, a control, and below it a hint or what is wrong. */
function Frame({ label, hint, problem = null, children }: FrameProps) {
  const id = useId();
  const note = problem ?? hint;
  const hasNote = note !== undefined && note !== null;
  return (
    <div>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? `${id}-note` : undefined,
        'aria-invalid': problem === null ? undefined : true,
      })}
      {hasNote ? (
        <p
          id={`${id}-note`}
          className={problem === null ? styles.hint : styles.problem}
          role={problem === null ? undefined : 'alert'}
        >
          {note}
        </p>
      ) : null}
    </div>
  );
}

export function TextField({ label, hint, problem, ...rest }: Labelled & ComponentProps<'input'>) {
  return (
    <Frame label={label} hint={hint} problem={problem}>
      {(ids) => <input max={rest.type === 'date' ? maxDay : undefined} {...rest} {...ids} className={styles.input} />}
    </Frame>
  );
}

/** An amount that may be negative, such as a correction. */
export function AmountField({ problem, ...rest }: Labelled & ComponentProps<'input'> & { readonly value: string }) {
  return <TextField inputMode="decimal" {...rest} problem={amountProblem(rest.value) ?? problem} />;
}

export function TextArea({ label, hint, problem, className, ...rest }: Labelled & ComponentProps<'textarea'>) {
  return (
    <Frame label={label} hint={hint} problem={problem}>
      {(ids) => <textarea rows={3} {...rest} {...ids} className={`${styles.area} ${className ?? ''}`} />}
    </Frame>
  );
}

interface ChoiceProps extends Labelled, Omit<ComponentProps<'select'>, 'children'> {
  readonly choices: readonly (readonly [value: string, label: string])[];
}

export function Choice({ label, hint, problem, choices, ...rest }: ChoiceProps) {
  return (
    <Frame label={label} hint={hint} problem={problem}>
      {(ids) => (
        <select {...rest} {...ids} className={styles.input}>
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'type'> {
  /** What is checked, for screen readers. */
  readonly label: string;
  readonly isPartial?: boolean;
}

/** A box without visible words, such as the first cell of a row. */
export function Check({ label, isPartial = false, ...rest }: CheckProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        {...rest}
        aria-label={label}
        ref={(input) => {
          if (input !== null) input.indeterminate = isPartial;
        }}
      />
    </label>
  );
}

interface CheckFieldProps extends Omit<ComponentProps<'input'>, 'type'> {
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A box with its words, which are part of what can be clicked. */
export function CheckField({ label, hint, ...rest }: CheckFieldProps) {
  return (
    <label className={styles.checkField}>
      <input type="checkbox" {...rest} />
      <span>
        {label}
        {hint === undefined ? null : <span className="second">{hint}</span>}
      </span>
    </label>
  );
}

interface CheckListProps<Key extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly choices: readonly (readonly [key: Key, label: string])[];
  readonly chosen: readonly Key[];
  readonly onChange: (chosen: readonly Key[]) => void;
}

/** Any number of a few choices. */
export function CheckList<Key extends string>({ label, choices, chosen, onChange }: CheckListProps<Key>) {
  return (
    <fieldset className={styles.checkList} aria-label={label}>
      {choices.map(([key, words]) => (
        <CheckField
          key={key}
          label={words}
          checked={chosen.includes(key)}
          onChange={() => onChange(chosen.includes(key) ? chosen.filter((chosen) => chosen !== key) : [...chosen, key])}
        />
      ))}
    </fieldset>
  );
}
