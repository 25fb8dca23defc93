import { type ComponentProps, useState } from 'react';
import { maxDay } from '../shared/format/dates.js';
import { linesOf, toLines } from '../shared/format/entered-lists.js';
import styles from './Inline.module.css';

interface Named {
  /** The name for screen readers. */
  readonly label: string;
  readonly isWrong?: boolean;
}

interface InlineSelectProps extends Named, Omit<ComponentProps<'select'>, 'children'> {
  readonly choices: readonly (readonly [value: string, label: string])[];
  /** Marks a guess. */
  readonly isGuess?: boolean;
}

/** A choice within a row or a sentence, without visible words of its own. */
export function InlineSelect({ label, choices, isWrong, isGuess = false, className, ...rest }: InlineSelectProps) {
  return (
    <select
      {...rest}
      aria-label={label}
      aria-invalid={isWrong || undefined}
      className={`${styles.control} ${isGuess ? styles.guess : ''} ${className ?? ''}`}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface InlineInputProps extends Named, ComponentProps<'input'> {
  /** Behind the value, such as %. */
  readonly unit?: string;
}

/** An input within a row or a sentence. Numbers are right-aligned. */
export function InlineInput({ label, isWrong, unit, className, ...rest }: InlineInputProps) {
  const isNumber = rest.inputMode === 'decimal' || rest.inputMode === 'numeric';
  return (
    <span className={`${styles.frame} ${className ?? ''}`}>
      <input
        type="text"
        autoComplete="off"
        max={rest.type === 'date' ? maxDay : undefined}
        {...rest}
        aria-label={label}
        aria-invalid={isWrong || undefined}
        className={`${styles.control} ${isNumber ? `num ${styles.number}` : ''} ${unit === undefined ? '' : styles.hasUnit}`}
      />
      {unit === undefined ? null : (
        <span className={styles.unit} aria-hidden="true">
          {unit}
        </span>
      )}
    </span>
  );
}

interface InlineLinesProps extends Named {
  readonly values: readonly unknown[];
  readonly placeholder: string;
  readonly onValues: (values: string[]) => void;
}

/**
 * A list within a row, with one value on each line. The text stays as it is typed while the control has the focus: a
 * line break at the end begins another value.
 */
export function InlineLines({ label, isWrong, values, placeholder, onValues }: InlineLinesProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? toLines(values);
  return (
    <textarea
      aria-label={label}
      aria-invalid={isWrong || undefined}
      className={`${styles.control} ${styles.lines}`}
      rows={text.split('\n').length}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        onValues(linesOf(value));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
