import styles from './Tabs.module.css';

export interface Tab<Key extends string> {
  readonly key: Key;
  readonly label: string;
  readonly count?: number;
}

interface TabsProps<Key extends string> {
  /** What the tabs divide, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Key>[];
  readonly current: Key;
  readonly onChange: (key: Key) => void;
  /** Is displayed at the right, such as keyboard hints. */
  readonly side?: React.ReactNode;
}

/** Divides a list by a property, with the number of entries of each part. */
export function Tabs<Key extends string>({ label, tabs, current, onChange, side }: TabsProps<Key>) {
  return (
    <div className={styles.line}>
      <fieldset aria-label={label} className={styles.tabs}>
        {tabs.map(({ key, label: name, count }) => (
          <button
            key={key}
            type="button"
            className={styles.tab}
            aria-pressed={key === current}
            onClick={() => onChange(key)}
          >
            {name}
            {count === undefined ? null : <span className={`num ${styles.count}`}>{count}</span>}
          </button>
        ))}
      </fieldset>
      {side}
    </div>
  );
}
