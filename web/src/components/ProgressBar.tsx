import styles from './ProgressBar.module.css';

interface ProgressBarProps {
  /** The ratio lies between 0 and 1. */
  readonly ratio: number;
  /** What the bar measures, with its figure, for screen readers. */
  readonly label: string;
  /** A bar for each row of a table is thinner. */
  readonly isThin?: boolean;
}

/** The filled share of a bar. */
export function ProgressBar({ ratio, label, isThin = false }: ProgressBarProps) {
  const percent = Math.max(0, Math.min(100, ratio * 100));
  return (
    <div role="img" aria-label={label} className={isThin ? styles.thin : styles.bar}>
      <div className={styles.fill} style={{ width: `${percent}%` }} />
    </div>
  );
}
