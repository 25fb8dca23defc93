import { useQuery } from '@tanstack/react-query';
import { holdsQuery, type Payable, payablesOfDealQuery } from '../../api/payout-queries.js';
import { useKeptDialog } from '../../app/kept-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { HoldDialog } from './HoldDialog.js';
import { HoldList } from './HoldList.js';
import { describePayable, statusWords } from './words.js';

/** When what a deal has earned is paid; nothing in workspaces without payouts. */
export function PayablesOfDeal({ dealId }: { readonly dealId: string }) {
  const { role } = useSession();
  const holds = role === 'admin' || role === 'payroll';
  const payables = useQuery(payablesOfDealQuery(dealId)).data?.payables ?? [];
  const kept = `hold ${dealId}`;
  const [isHolding, setHolding] = useKeptDialog(kept);
  if (payables.length === 0) return null;
  return (
    <Card
      title="When it is paid"
      action={holds ? <Button onClick={() => setHolding(true)}>Hold pay</Button> : undefined}
    >
      <ul className={blocks.rows}>
        {payables.map((payable, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an amount have no id
          <Part key={index} payable={payable} />
        ))}
      </ul>
      {holds ? <HoldsOfDeal dealId={dealId} /> : null}
      {isHolding ? <HoldDialog dealId={dealId} kept={kept} onClose={() => setHolding(false)} /> : null}
    </Card>
  );
}

function HoldsOfDeal({ dealId }: { readonly dealId: string }) {
  const holds = useQuery(holdsQuery(dealId)).data ?? [];
  return holds.length === 0 ? null : <HoldList holds={holds} />;
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
