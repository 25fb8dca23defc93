import { formatMonth } from '../../shared/format/periods.js';
import styles from './WorkingTimeline.module.css';
import { type TimelineRow } from './working-time.js';

interface WorkingTimelineProps {
  readonly name: string;
  readonly year: number;
  readonly rows: readonly TimelineRow[];
}

/** Employment, absences, ramps and targets of a year on one time axis, and as a table for screen readers. */
export function WorkingTimeline({ name, year, rows }: WorkingTimelineProps) {
  const caption = `Employment, absences, ramps and targets of ${name} in ${year}`;
  const months = Array.from({ length: 12 }, (_, index) => `${year}-${String(index + 1).padStart(2, '0')}`);
  return (
    <>
      <div role="img" aria-label={caption} className={styles.timeline}>
        <span className={styles.name}>{year}</span>
        <div className={styles.months}>
          {months.map((month) => (
            <span key={month}>{formatMonth(month, 'short')}</span>
          ))}
        </div>
        {rows.map((row) => (
          <Track key={row.key} row={row} />
        ))}
      </div>
      <div className="unseen">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Days</th>
              <th scope="col">Counts</th>
            </tr>
          </thead>
          <tbody>
            {rows.flatMap((row) =>
              row.stretches.map(({ key, days, label }) => (
                <tr key={`${row.key} ${key}`}>
                  <th scope="row">{row.name}</th>
                  <td>{days}</td>
                  <td>{label}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Track({ row: { name, kind, stretches } }: { readonly row: TimelineRow }) {
  return (
    <>
      <span className={styles.name} title={name}>
        {name}
      </span>
      <div className={styles.track}>
        {stretches.map(({ key, left, width, label, days, isProrated }) => (
          <span
            key={key}
            className={`num ${styles.stretch} ${styles[kind]} ${isProrated ? styles.prorated : ''}`}
            style={{ left: `${left}%`, width: `${width}%` }}
            title={label === '' ? days : `${days}: ${label}`}
          >
            {label}
          </span>
        ))}
      </div>
    </>
  );
}
