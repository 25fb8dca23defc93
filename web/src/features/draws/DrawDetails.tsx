import { type Draw } from '../../api/draw-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Money } from '../../components/Money.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod, shortPeriod } from '../../shared/format/periods.js';
import styles from './Draws.module.css';
import { describeDraw, describeDrawDays, describeLine, describeRecovery, shareDraw } from './words.js';

interface DrawDetailsProps {
  readonly draw: Draw;
  /** The buttons of people who decide about it. */
  readonly actions?: React.ReactNode;
}

/** One draw: how it is paid back, what became of it as a picture, and the statements that changed it. */
export function DrawDetails({ draw, actions }: DrawDetailsProps) {
  const { owed, currency, lines, forgiven } = draw;
  return (
    <section className={styles.draw} aria-label={describeDraw(draw)}>
      <div className={styles.head}>
        <span>
          <b className="strong">{describeDraw(draw)}</b>, <span className="dim">{describeDrawDays(draw)}</span>
          <span className="second">{describeRecovery(draw)}</span>
        </span>
        <span className={styles.amount}>
          <Money amount={owed} currency={currency} />
          <span className="second">{owed === 0 ? 'nothing owed' : 'owed'}</span>
        </span>
      </div>
      {lines.length === 0 ? (
        <p className="dim">No approved statement has paid of it yet.</p>
      ) : (
        <>
          <Shares draw={draw} />
          <OwedBars draw={draw} />
          <ul className={blocks.rows} aria-label="By statement">
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and approved ones do not move
              <li key={index}>
                <span>
                  {line.period === null ? null : <b className="strong">{formatPeriod(line.period)}</b>}{' '}
                  <span className="dim">
                    {describeLine(line)}, {formatMoney(line.owed, currency)} owed after it
                  </span>
                  <span className="second num">{line.formula}</span>
                </span>
                <span className={styles.amount}>
                  <Money amount={line.amount} currency={currency} signed />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {forgiven.map(({ amount, day, reason }) => (
        <p key={`${day} ${reason}`} className="dim">
          {formatMoney(amount, currency)} forgiven on {formatDay(day, 'year')}: {reason}
        </p>
      ))}
      {actions === undefined ? null : <div className={blocks.actions}>{actions}</div>}
    </section>
  );
}

const parts = [
  ['repaid', 'Repaid'],
  ['owed', 'Still owed'],
  ['forgiven', 'Not to be paid back'],
] as const;

/** What the draw has paid, by what became of it. */
function Shares({ draw }: { readonly draw: Draw }) {
  const shares = shareDraw(draw);
  const paid = Number(shares.paid);
  const visible = parts.filter(([key]) => Number(shares[key]) > 0);
  return (
    <div>
      <div className={styles.bar} aria-hidden="true">
        {visible.map(([key]) => (
          <span key={key} className={styles[key]} style={{ width: `${(Number(shares[key]) / (paid || 1)) * 100}%` }} />
        ))}
      </div>
      <p className={styles.legend}>
        <span>{formatMoney(shares.paid, draw.currency)} paid by the draw:</span>
        {visible.map(([key, words]) => (
          <span key={key}>
            <span className={`${styles.mark} ${styles[key]}`} aria-hidden="true" /> {words}{' '}
            {formatMoney(shares[key], draw.currency)}
          </span>
        ))}
      </p>
    </div>
  );
}

/** What is owed after each statement, as columns; the list below has the same figures. */
function OwedBars({ draw: { lines, currency } }: { readonly draw: Draw }) {
  const top = Math.max(...lines.map(({ owed }) => owed));
  if (top === 0 || lines.length < 2) return null;
  return (
    <div
      className={styles.columns}
      role="img"
      aria-label={`Owed after each statement, at most ${formatMoney(top, currency)}`}
    >
      {lines.map(({ period, owed }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and approved ones do not move
        <span key={index} className={styles.column} title={formatMoney(owed, currency)}>
          <span className={styles.space}>
            <span className={styles.level} style={{ height: `${(owed / top) * 100}%` }} />
          </span>
          <span className={styles.month}>{period === null ? '' : shortPeriod(period)}</span>
        </span>
      ))}
    </div>
  );
}
