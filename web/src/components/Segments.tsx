import styles from './Segments.module.css';

interface SegmentsProps<Key extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly choices: readonly (readonly [key: Key, label: string])[];
  readonly current: Key;
  readonly onChange: (key: Key) => void;
}

/** One of a few choices, all visible in one control. */
export function Segments<Key extends string>({ label, choices, current, onChange }: SegmentsProps<Key>) {
  return (
    <fieldset aria-label={label} className={styles.segments}>
      {choices.map(([key, name]) => (
        <button
          key={key}
          type="button"
          className={styles.segment}
          aria-pressed={key === current}
          onClick={() => onChange(key)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
