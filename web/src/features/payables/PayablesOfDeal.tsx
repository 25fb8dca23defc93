import { useQuery } from '@tanstack/react-query';
import { type Payable, payablesOfDealQuery } from '../../api/payout-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { describePayable, statusWords } from './words.js';

/** When what a deal has earned is paid; nothing in workspaces without payouts. */
export function PayablesOfDeal({ dealId }: { readonly dealId: string }) {
  const payables = useQuery(payablesOfDealQuery(dealId)).data?.payables ?? [];
  if (payables.length === 0) return null;
  return (
    <Card title="When it is paid">
      <ul className={blocks.rows}>
        {payables.map((payable, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an amount have no id
          <Part key={index} payable={payable} />
        ))}
      </ul>
    </Card>
  );
}

function Part({ payable }: { readonly payable: Payable }) {
  const { repName, ruleName, status, amount, currency } = payable;
  return (
    <li>
      <span>
        <b className="strong">{statusWords[status]}</b>{' '}
        <span className="dim">
          {describePayable(payable)}, {ruleName ?? 'adjustment'}, {repName}
        </span>
      </span>
      <Money amount={amount} currency={currency} />
    </li>
  );
}
