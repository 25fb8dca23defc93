import { useRef } from 'react';
import { useShortcuts } from '../shared/keys/shortcuts.js';
import styles from './FilterField.module.css';
import { InlineInput } from './Inline.js';

interface FilterFieldProps {
  /** What the text is compared with, such as: Filter by name. */
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Restricts a list to the rows that contain a text. `/` moves to it. */
export function FilterField({ label, text, onText }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <span className={styles.field}>
      <InlineInput
        ref={field}
        type="search"
        label={label}
        placeholder={label}
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      />
    </span>
  );
}
