import { formatAttainment } from '../shared/format/numbers.js';
import { Hero } from './Hero.js';
import styles from './StatCard.module.css';

interface StatStripProps {
  /** The widths of the cells, such as `1.25fr 1fr 1fr`. */
  readonly columns: string;
  readonly label: string;
  readonly children: React.ReactNode;
}

/** A strip of cells in one card. On a phone the first cell has the full width. */
export function StatStrip({ columns, label, children }: StatStripProps) {
  return (
    <section aria-label={label} className={styles.strip} style={{ '--columns': columns } as React.CSSProperties}>
      {children}
    </section>
  );
}

interface StatCardProps {
  readonly label: React.ReactNode;
  /** A badge in the upper right corner. */
  readonly badge?: React.ReactNode;
  /** Such as {@link HeroMoney} or {@link HeroText}. */
  readonly figure: React.ReactNode;
  readonly note?: React.ReactNode;
}

export function StatCard({ label, badge, figure, note }: StatCardProps) {
  return (
    <div className={styles.cell}>
      <div className={styles.head}>
        <span>{label}</span>
        {badge}
      </div>
      <div className={styles.figure}>{figure}</div>
      {note === undefined ? null : <div className={styles.note}>{note}</div>}
    </div>
  );
}

/** An attainment as the figure of a card; – without a quota. */
export function HeroAttainment({ ratio }: { readonly ratio: number | undefined }) {
  if (ratio === undefined) return <HeroText>–</HeroText>;
  return <HeroText unit="%">{formatAttainment(ratio).replace(/\s?%/, '')}</HeroText>;
}

interface HeroTextProps {
  readonly children: React.ReactNode;
  readonly unit?: string;
  readonly size?: 'first' | 'second';
}

/** A figure of a card that is not money, such as 112 %. */
export function HeroText({ children, unit, size }: HeroTextProps) {
  return (
    <Hero size={size} end={unit === undefined ? undefined : ` ${unit}`}>
      {children}
    </Hero>
  );
}
