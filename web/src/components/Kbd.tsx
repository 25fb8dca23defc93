import styles from './Kbd.module.css';

/** A key, such as j. */
export function Key({ children }: { readonly children: string }) {
  return <kbd className={styles.key}>{children}</kbd>;
}

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
            <Key key={key}>{key}</Key>
          ))}
          {action}
        </span>
      ))}
    </span>
  );
}

/** The hints of a table: the keys that move, and what `Enter` does with a row. */
export function RowHints({ action }: { readonly action: string }) {
  return (
    <KeyHints
      hints={[
        { keys: ['j', 'k'], action: 'move' },
        { keys: ['Enter'], action },
      ]}
    />
  );
}
