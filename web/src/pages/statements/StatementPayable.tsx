import { type Statement } from '../../api/queries.js';
import { Facing } from '../../components/Facing.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';

/** What a statement pays of what is earned, and why less or more; nothing in workspaces without payouts. */
export function StatementPayable({ payable }: { readonly payable: Statement['payable'] }) {
  if (payable === undefined) return null;
  return payable.totals.map(({ currency, released, carriedIn, added, recovered, closing, payable: paid }) => (
    <Card key={currency} title="What this statement pays">
      <Facing
        rows={[
          ['Released', <Money key="released" amount={released} currency={currency} />],
          ...(carriedIn === 0
            ? []
            : [
                [
                  'Corrections of earlier periods',
                  <Money key="carried" amount={carriedIn} currency={currency} signed />,
                ] as const,
              ]),
          ...(recovered === 0
            ? []
            : [
                [
                  'Kept of it, for what was paid too early',
                  <Money key="kept" amount={-recovered} currency={currency} signed />,
                ] as const,
              ]),
          ['Payable', <LedgerTotal key="payable" amount={paid} currency={currency} unit="symbol" />],
          ...(added === 0
            ? []
            : [
                [
                  'Taken back, kept of later statements',
                  <Money key="added" amount={added} currency={currency} />,
                ] as const,
              ]),
          ...(closing === 0
            ? []
            : [['Still owed after it', <Money key="closing" amount={closing} currency={currency} />] as const]),
        ]}
      />
      <p className="dim">
        What is earned and not released waits for the customer or for a day. The page of a deal says which.
      </p>
    </Card>
  ));
}
