import { type CreditsChange } from '../../api/credit-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Money } from '../../components/Money.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

type EffectListProps = Pick<CreditsChange, 'byRep' | 'locked'>;

const maxVisibleDeals = 6;

/** What a change of a deal would do to each person: open periods, and approved ones. */
export function EffectList({ byRep = null, locked = [] }: EffectListProps) {
  if (byRep === null)
    return <p className="dim">Too many deals to calculate now. The commission is shown after the change.</p>;
  return (
    <>
      {byRep.length === 0 ? <p className="dim">No commission of an open period changes.</p> : null}
      <ul className={blocks.rows} aria-label="Effect on each person">
        {byRep.map(({ repId, repName, currency, before, after, delta, deals }) => (
          <li key={`${repId} ${currency}`}>
            <span>
              <b className="strong">{repName}</b>{' '}
              <span className="dim">
                {formatMoney(before, currency)} → {formatMoney(after, currency)}
              </span>
              {deals.length < 2 ? null : (
                <span className="dim">
                  {': '}
                  {deals
                    .slice(0, maxVisibleDeals)
                    .map(
                      (deal) =>
                        `${deal.dealName ?? deal.dealKey} ${formatMoney(deal.delta, currency, { signed: true })}`,
                    )
                    .join(', ')}
                  {deals.length > maxVisibleDeals ? ' …' : ''}
                </span>
              )}
            </span>
            <Money amount={delta} currency={currency} signed />
          </li>
        ))}
        {locked.map(({ repId, repName, period, currency, delta }) => (
          <li key={`${repId} ${period} ${currency}`}>
            <span>
              <b className="strong">{repName}</b>{' '}
              <span className="dim">{formatPeriod(period)} is approved and stays; a discrepancy opens</span>
            </span>
            <Money amount={delta} currency={currency} signed />
          </li>
        ))}
      </ul>
    </>
  );
}
