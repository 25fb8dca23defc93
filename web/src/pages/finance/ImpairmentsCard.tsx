import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { type ContractCosts, type Impairment, impairmentsQuery } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { difference, sumAmounts } from '../../shared/format/exact.js';

interface ImpairmentsProps {
  readonly month: string;
  /** The cost of each person and deal in the company, with what was written down. */
  readonly costs: ContractCosts;
  /** Null where no test can be changed: in closed months, and for those who change nothing. */
  readonly onChange: ((dealId: string) => void) | null;
}

/** What the tests of a month state of deals, and what they write down in the company. Nothing without a test. */
export function ImpairmentsCard({ month, costs, onChange }: ImpairmentsProps) {
  return (
    <Loaded query={useQuery(impairmentsQuery(month))} height={104}>
      {(tests) => {
        const own = tests.filter(({ dealId }) => costs.contractCosts.some((row) => row.dealId === dealId));
        return own.length === 0 ? null : (
          <Card title="Tests of impairment" note="what the cost exceeds the rest of the contract is written down">
            <ul className={blocks.rows}>
              {own.map((test) => (
                <TestLine key={test.dealId} test={test} costs={costs} onChange={onChange} />
              ))}
            </ul>
          </Card>
        );
      }}
    </Loaded>
  );
}

type TestLineProps = Pick<ImpairmentsProps, 'costs' | 'onChange'> & { readonly test: Impairment };

function TestLine({ test, costs: { contractCosts, currency }, onChange }: TestLineProps) {
  const { dealId, dealName, month, remainingConsideration, remainingCost, note } = test;
  const impaired = sumAmounts(contractCosts.filter((row) => row.dealId === dealId).map((row) => row.impaired));
  return (
    <li>
      <span>
        <DealLink dealId={dealId} name={dealName} />
        <span className="second">
          <Money amount={remainingConsideration} currency={currency} /> that the customer will still pay, less{' '}
          <Money amount={remainingCost} currency={currency} /> of cost:{' '}
          <Money amount={difference(remainingConsideration, remainingCost)} currency={currency} />
        </span>
        <span className="second">
          Impaired in the month: <Money amount={impaired} currency={currency} />
        </span>
        {note === null ? null : <span className="second">{note}</span>}
      </span>
      {onChange === null ? null : (
        <span className={blocks.actions}>
          <Button onClick={() => onChange(dealId)} aria-label={`Change the test of ${dealName ?? dealId}`}>
            Change
          </Button>
          <ConfirmButton
            confirm="Take the test back"
            send={() => api.deleteImpairment({ params: { dealId, month } })}
            onDone={() => showMessage(`The test of ${dealName ?? dealId} was taken back.`)}
          >
            Take back …
          </ConfirmButton>
        </span>
      )}
    </li>
  );
}
