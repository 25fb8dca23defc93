import { type UseQueryResult } from '@tanstack/react-query';
import { describeError } from '../api/describe-error.js';
import { type CommissionEffect, type PersonalEffect } from '../api/effect-queries.js';
import { usePersonNames } from '../api/people-by-id.js';
import { sumAmounts } from '../shared/format/exact.js';
import { formatCount, formatMoney } from '../shared/format/numbers.js';
import { formatPeriod } from '../shared/format/periods.js';
import styles from './EffectOfChange.module.css';
import { Money } from './Money.js';

interface EffectOfChangeProps {
  readonly query: Pick<UseQueryResult<CommissionEffect | PersonalEffect>, 'data' | 'error' | 'isFetching'>;
  /** What is previewed, such as "import". */
  readonly what: string;
}

/** What a change would do to commission: by currency, and in approved periods, which do not change. */
export function EffectOfChange({ query: { data, error, isFetching }, what }: EffectOfChangeProps) {
  if (error !== null) return <p className="negative">{describeError(error).message}</p>;
  if (data === undefined) return <p className="dim">{isFetching ? 'Calculating the commission …' : ''}</p>;
  if (data === null)
    return <p className="dim">Too many deals to calculate now. The commission is shown after the {what}.</p>;
  const { lines, reps, totals, locked } = data;
  return (
    <div className={styles.effect} aria-busy={isFetching}>
      {lines === 0 ? (
        <p className="dim">Commission stays as it is.</p>
      ) : (
        <>
          {totals.map(({ currency, delta }) => (
            <p key={currency}>
              <span className="strong">
                <Money amount={delta} currency={currency} signed />
              </span>{' '}
              of commission
            </p>
          ))}
          <p className="dim">
            in {formatCount(lines, 'line')} of {formatCount(reps, 'person', 'people')}
          </p>
          {'byPeriod' in data ? <ByPeriod byPeriod={data.byPeriod} /> : null}
        </>
      )}
      {locked.length === 0 ? null : (
        <p className={styles.warning}>
          {[...new Set(locked.map(({ currency }) => currency))].map((currency, index) => (
            <span key={currency}>
              {index === 0 ? '' : ' and '}
              <Money
                amount={sumAmounts(locked.filter((total) => total.currency === currency).map(({ delta }) => delta))}
                currency={currency}
                signed
              />
            </span>
          ))}{' '}
          in {formatCount(locked.length, 'approved period')}, which opens discrepancies there.
        </p>
      )}
    </div>
  );
}

const maxRows = 8;

/** What the change does to each person in each period, largest change first. */
function ByPeriod({ byPeriod }: Pick<PersonalEffect, 'byPeriod'>) {
  const nameOf = usePersonNames(byPeriod.slice(0, maxRows).map(({ repId }) => repId));
  const rest = byPeriod.length - maxRows;
  return (
    <>
      <ul className={styles.list} aria-label="By person and period">
        {byPeriod.slice(0, maxRows).map(({ repId, period, currency, before, after, delta }) => (
          <li key={`${repId} ${period} ${currency}`}>
            {nameOf(repId) ?? '–'}, {formatPeriod(period)}: {formatMoney(before, currency)} to{' '}
            {formatMoney(after, currency)} (<Money amount={delta} currency={currency} signed />)
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="dim">and {formatCount(rest, 'smaller change')}</p> : null}
    </>
  );
}
