import styles from './Hero.module.css';

interface HeroProps {
  /** `second`: for figures beside a larger one. */
  readonly size?: 'first' | 'second';
  /** The dimmed end: cents, or a unit. */
  readonly end?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** The large figure of a card. */
export function Hero({ size = 'first', end, children }: HeroProps) {
  return (
    <span className={`num ${styles[size]}`}>
      {children}
      {end === undefined ? null : <span className={styles.end}>{end}</span>}
    </span>
  );
}
