import { useQuery } from '@tanstack/react-query';
import { drawsQuery } from '../../api/draw-queries.js';
import { Card } from '../../components/Page.js';
import { signOf, sumAmounts } from '../../shared/format/exact.js';
import { groupBy } from '../../shared/format/group-by.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { DrawDetails } from './DrawDetails.js';

/** What a person owes of draws, and how and when it is paid back; nothing for people without draws. */
export function OwnDraws({ repId }: { readonly repId: string }) {
  const draws = useQuery(drawsQuery(repId)).data ?? [];
  return groupBy(draws, ({ currency }) => currency).map((ofCurrency) => {
    const [{ currency }] = ofCurrency;
    const owed = sumAmounts(ofCurrency.map((draw) => draw.owed));
    return (
      <Card
        key={currency}
        title={signOf(owed) === 0 ? 'Draws: you owe nothing' : `Draws: you owe ${formatMoney(owed, currency)}`}
      >
        {ofCurrency.map((draw) => (
          <DrawDetails key={draw.drawId} draw={draw} />
        ))}
      </Card>
    );
  });
}
