import { type Payable } from '../../api/payout-queries.js';
import blocks from '../../components/Blocks.module.css';
import { DealLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { formatCount } from '../../shared/format/numbers.js';
import { describePayable, openWords } from './words.js';

/** How many parts are displayed at once. */
const maxVisible = 50;

/** Parts of what is earned, each with its status and what it waits for. */
export function PayableList({ label, payables }: { readonly label: string; readonly payables: readonly Payable[] }) {
  return (
    <>
      <ul className={blocks.rows} aria-label={label}>
        {payables.slice(0, maxVisible).map((payable, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an amount have no id
          <Part key={index} payable={payable} />
        ))}
      </ul>
      {payables.length <= maxVisible ? null : (
        <p className="dim">{formatCount(payables.length - maxVisible, 'further part')}</p>
      )}
    </>
  );
}

function Part({ payable }: { readonly payable: Payable }) {
  const { dealId, dealName, ruleName, status, amount, currency } = payable;
  return (
    <li>
      <span>
        {dealId === null ? (
          <b className="strong">{ruleName ?? 'Adjustment'}</b>
        ) : (
          <DealLink dealId={dealId} name={dealName} />
        )}{' '}
        <span className="dim">
          {[
            ...(dealId === null || ruleName === null ? [] : [ruleName]),
            `${openWords(status, amount < 0).toLowerCase()} ${describePayable(payable)}`,
          ].join(', ')}
        </span>
      </span>
      <Money amount={amount} currency={currency} />
    </li>
  );
}
