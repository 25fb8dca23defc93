import { ProgressBar } from '../../components/ProgressBar.js';
import { type CountedQuota, prorationWords } from '../../features/plans/attainment.js';
import { formatAttainment } from '../../shared/format/numbers.js';
import { countedPeriod } from '../../shared/format/periods.js';
import styles from './Team.module.css';

/** A bar up to the target, and the attainment in figures. */
export function Attained({ attainment }: { readonly attainment: CountedQuota | null }) {
  if (attainment === null) return <span className={`dim ${styles.none}`}>–</span>;
  const { measure, period, through, attainment: ratio } = attainment;
  const text = formatAttainment(ratio);
  const details = [measure, countedPeriod(period, through), prorationWords(attainment)].filter((part) => part !== null);
  return (
    <span className={styles.attained} title={details.join(', ')}>
      <span aria-hidden="true">
        <ProgressBar ratio={ratio} label={text} isThin />
      </span>
      <span className="num">{text}</span>
    </span>
  );
}
