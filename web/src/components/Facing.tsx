import styles from './Facing.module.css';

interface FacingProps {
  readonly rows: readonly (readonly [label: string, value: React.ReactNode])[];
}

/** Labels at the left and their values at the right, one pair a line. */
export function Facing({ rows }: FacingProps) {
  return (
    <dl className={styles.list}>
      {rows.map(([label, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rows may have the same label
        <div key={index} className={styles.row}>
          <dt className="dim">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
