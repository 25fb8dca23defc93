import styles from './Hero.module.css';

interface HeroProps {
  /** `second`: for figures beside a larger one. */
  readonly size?: 'first' | 'second';
  /** The dimmed end: cents, or a unit. */
  readonly end?: React.ReactNode;
  /** Number of characters of a figure that may be too long for its card; it becomes smaller then. */
  readonly length?: number;
  readonly children: React.ReactNode;
}

/** The large figure of a card. */
export function Hero({ size = 'first', end, length, children }: HeroProps) {
  return (
    <span className={`num ${styles[size]}`} style={{ '--length': length } as React.CSSProperties}>
      {children}
      {end === undefined ? null : <span className={styles.end}>{end}</span>}
    </span>
  );
}
