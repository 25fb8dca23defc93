import { type TeamOverview } from '../../api/team-queries.js';
import { mainAttainment } from './attainment.js';
import styles from './Team.module.css';

const bands = [
  { label: 'under 50 %', from: Number.NEGATIVE_INFINITY, to: 0.5 },
  { label: '50 to 75 %', from: 0.5, to: 0.75 },
  { label: '75 to 100 %', from: 0.75, to: 1 },
  { label: '100 to 125 %', from: 1, to: 1.25 },
  { label: '125 % or more', from: 1.25, to: Number.POSITIVE_INFINITY },
] as const;

/** How many people are in each band of attainment. Bands at or above the target are darker. */
export function AttainmentBands({ team }: { readonly team: TeamOverview }) {
  const ratios = team.reps.map((rep) => mainAttainment(rep.attainment, team.period)?.attainment);
  const counts = bands.map(
    ({ from, to }) => ratios.filter((ratio) => ratio !== undefined && ratio >= from && ratio < to).length,
  );
  const without = ratios.filter((ratio) => ratio === undefined).length;
  const largest = Math.max(1, ...counts, without);
  return (
    <ul className={styles.bands}>
      {bands.map(({ label, from }, index) => (
        <Band key={label} label={label} count={counts[index] ?? 0} largest={largest} isStrong={from >= 1} />
      ))}
      {without === 0 ? null : <Band label="no quota" count={without} largest={largest} isStrong={false} />}
    </ul>
  );
}

interface BandProps {
  readonly label: string;
  readonly count: number;
  readonly largest: number;
  readonly isStrong: boolean;
}

function Band({ label, count, largest, isStrong }: BandProps) {
  return (
    <li>
      <span className="dim">{label}</span>
      <span
        aria-hidden="true"
        className={`${styles.bar} ${isStrong ? styles.strong : ''}`}
        style={{ width: `${(count / largest) * 100}%` }}
      />
      <span className={`num ${styles.count}`}>{count}</span>
    </li>
  );
}
