import { useToday } from '../../app/today.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { type Attainment, prorationWords } from '../../features/plans/attainment.js';
import { formatAttainment } from '../../shared/format/numbers.js';
import { countedPeriod } from '../../shared/format/periods.js';
import { elapsedShare } from './pace.js';
import styles from './Team.module.css';

/** A bar up to the target with a mark where the running period is today, and the attainment in figures. */
export function Attained({ attainment }: { readonly attainment: Attainment | null }) {
  const today = useToday();
  if (attainment === null) return <span className={`dim ${styles.none}`}>–</span>;
  const { measure, period, through, attainment: ratio } = attainment;
  const text = formatAttainment(ratio);
  const elapsed = elapsedShare(attainment, today);
  const details = [
    measure,
    countedPeriod(period, through, today),
    prorationWords(attainment),
    attainment.countsAtEnd === undefined ? null : 'counts at the end',
    elapsed === null ? null : `${formatAttainment(elapsed)} of the period ${through < today ? 'was' : 'is'} over`,
  ].filter((part) => part !== null);
  return (
    <span className={styles.attained} title={details.join(', ')}>
      <span aria-hidden="true">
        <ProgressBar ratio={ratio} label={text} isThin mark={elapsed} />
      </span>
      <span className="num">{text}</span>
    </span>
  );
}
