import { type LiabilityRow } from '../../api/finance-queries.js';
import { Money } from '../../components/Money.js';
import styles from './Finance.module.css';
import { movements } from './words.js';

interface Step {
  readonly label: string;
  readonly amount: number;
  /** Where the bar begins and ends. */
  readonly from: number;
  readonly to: number;
  readonly isSum: boolean;
}

function toSteps(row: LiabilityRow): Step[] {
  let level = row.opening;
  const moved = movements
    .filter(([name]) => row[name] !== 0)
    .map(([name, label]): Step => {
      const from = level;
      level += row[name];
      return { label, amount: row[name], from, to: level, isSum: false };
    });
  return [
    { label: 'Opening', amount: row.opening, from: 0, to: row.opening, isSum: true },
    ...moved,
    { label: 'Closing', amount: row.closing, from: 0, to: row.closing, isSum: true },
  ];
}

/** From the opening to the closing amount: each step begins where the one before it ended. */
export function Waterfall({ row }: { readonly row: LiabilityRow }) {
  const steps = toSteps(row);
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const percent = (amount: number) => (high === low ? 0 : ((amount - low) / (high - low)) * 100);
  return (
    <table className={styles.waterfall}>
      <caption className="unseen">What people are owed in {row.currency}, from opening to closing</caption>
      <tbody>
        {steps.map(({ label, amount, from, to, isSum }) => (
          <tr key={label} className={isSum ? styles.sum : undefined}>
            <th scope="row">{label}</th>
            <td className={styles.track} aria-hidden="true">
              <span
                className={`${styles.bar} ${isSum ? '' : amount < 0 ? styles.down : styles.up}`}
                style={{
                  left: `${percent(Math.min(from, to))}%`,
                  width: `${Math.max(percent(Math.max(from, to)) - percent(Math.min(from, to)), 0.5)}%`,
                }}
              />
            </td>
            <td className={styles.amount}>
              <Money amount={amount} currency={row.currency} unit="none" signed={!isSum} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
