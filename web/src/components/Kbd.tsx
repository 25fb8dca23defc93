import styles from './Kbd.module.css';

interface KeyHint {
  readonly keys: readonly string[];
  readonly action: string;
}

/** Keyboard hints, such as `j` `k` move. Phones have no keyboard. */
export function KeyHints({ hints }: { readonly hints: readonly KeyHint[] }) {
  return (
    <span className={styles.hints}>
      {hints.map(({ keys, action }) => (
        <span key={action} className={styles.hint}>
          {keys.map((key) => (
            <kbd key={key} className={styles.key}>
              {key}
            </kbd>
          ))}
          {action}
        </span>
      ))}
    </span>
  );
}
