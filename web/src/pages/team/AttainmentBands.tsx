import { Link } from '@tanstack/react-router';
import { type TeamOverview } from '../../api/team-queries.js';
import { formatCount } from '../../shared/format/numbers.js';
import { mainAttainment } from './attainment.js';
import { type BandKey, bands, findBand } from './bands.js';
import styles from './Team.module.css';

interface AttainmentBandsProps {
  readonly team: TeamOverview;
  /** The band whose people the table lists; undefined for everyone. */
  readonly chosen: BandKey | undefined;
}

/** How many people are in each band of attainment. A band lists its people; those at or above the target are darker. */
export function AttainmentBands({ team, chosen }: AttainmentBandsProps) {
  const found = team.reps.map((rep) => findBand(mainAttainment(rep.attainment, team.period)?.attainment));
  const counted = bands.map((band) => ({ ...band, count: found.filter((key) => key === band.key).length }));
  const largest = Math.max(1, ...counted.map(({ count }) => count));
  return (
    <ul className={styles.bands}>
      {counted
        .filter(({ key, count }) => key !== 'none' || count > 0)
        .map((band) => (
          <li key={band.key} className={chosen === band.key ? styles.chosen : undefined}>
            {band.count === 0 && chosen !== band.key ? (
              <span className={styles.band}>
                <Band {...band} largest={largest} />
              </span>
            ) : (
              <Link
                to="/team"
                search={(search) => ({ ...search, band: chosen === band.key ? undefined : band.key })}
                resetScroll={false}
                replace
                className={styles.band}
                aria-current={chosen === band.key ? 'true' : undefined}
                aria-label={`${band.label}: ${formatCount(band.count, 'person', 'people')}`}
              >
                <Band {...band} largest={largest} />
              </Link>
            )}
          </li>
        ))}
    </ul>
  );
}

interface BandProps {
  readonly label: string;
  readonly count: number;
  readonly largest: number;
  readonly isAtTarget: boolean;
}

function Band({ label, count, largest, isAtTarget }: BandProps) {
  return (
    <>
      <span className="dim">{label}</span>
      <span
        aria-hidden="true"
        className={`${styles.bar} ${isAtTarget ? styles.strong : ''}`}
        style={{ width: `${(count / largest) * 100}%` }}
      />
      <span className={`num ${styles.count}`}>{count}</span>
    </>
  );
}
