import { useQuery } from '@tanstack/react-query';
import { balancesQuery } from '../../api/payout-queries.js';
import { useSession } from '../../app/session.js';
import { Card } from '../../components/Page.js';
import { formatMoney } from '../../shared/format/numbers.js';

/** What approved statements took back from the person and have not recovered yet; nothing for most people. */
export function BalanceOfPerson({ repId }: { readonly repId: string }) {
  const isOwn = useSession().repId === repId;
  const balances = useQuery(balancesQuery(repId)).data ?? [];
  return balances
    .filter(({ takenBack }) => takenBack !== 0)
    .map(({ currency, takenBack }) => (
      <Card
        key={currency}
        title={`Taken back: ${isOwn ? 'you still owe' : 'still owed'} ${formatMoney(takenBack, currency)}`}
      >
        <p className="dim">
          Approved statements took back more than they could keep. The next ones keep the rest from what they pay.
        </p>
      </Card>
    ));
}
