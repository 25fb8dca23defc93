import styles from './ProgressBar.module.css';

interface ProgressBarProps {
  /** The ratio lies between 0 and 1. */
  readonly ratio: number;
  /** What the bar measures, with its figure, for screen readers. */
  readonly label: string;
  /** A bar for each row of a table is thinner. */
  readonly isThin?: boolean;
  /** A ratio to compare with, such as the share of a period that is over. Default: none. */
  readonly mark?: number | null;
}

/** The filled share of a bar. */
export function ProgressBar({ ratio, label, isThin = false, mark = null }: ProgressBarProps) {
  const percent = Math.max(0, Math.min(100, ratio * 100));
  return (
    <div role="img" aria-label={label} className={isThin ? styles.thin : styles.bar}>
      <div className={styles.fill} style={{ width: `${percent}%` }} />
      {mark === null ? null : <div className={styles.mark} style={{ left: `${mark * 100}%` }} />}
    </div>
  );
}
