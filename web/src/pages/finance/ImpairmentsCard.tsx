import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import {
  allContractCostsQuery,
  type ContractCosts,
  type Impairment,
  impairmentsQuery,
} from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { ifSent } from '../../components/together.js';
import { difference, sumAmounts } from '../../shared/format/exact.js';

interface ImpairmentsProps {
  readonly month: string;
  readonly entity: string;
  /** That of the company. */
  readonly currency: string;
  /** Null where no test can be changed: in closed months, and for those who change nothing. */
  readonly onChange: ((dealId: string) => void) | null;
}

/** What the tests of a month state of deals, and what they write down in the company. Nothing without a test. */
export function ImpairmentsCard({ month, entity, currency, onChange }: ImpairmentsProps) {
  const tests = useQuery(impairmentsQuery(month));
  const hasTests = tests.data !== undefined && tests.data.length > 0;
  const costs = useQuery({ ...allContractCostsQuery(month, entity), enabled: hasTests });
  return (
    <Loaded query={combineQueries({ tests, costs: ifSent(costs, tests.data === undefined || hasTests) })} height={104}>
      {(loaded) => {
        const rows = loaded.costs ?? [];
        const own = loaded.tests.filter(({ dealId }) => rows.some((row) => row.dealId === dealId));
        return own.length === 0 ? null : (
          <Card title="Tests of impairment" note="what the cost exceeds the rest of the contract is written down">
            <ul className={blocks.rows}>
              {own.map((test) => (
                <TestLine key={test.dealId} {...{ test, currency, onChange }} impaired={impairedOf(test, rows)} />
              ))}
            </ul>
          </Card>
        );
      }}
    </Loaded>
  );
}

function impairedOf({ dealId }: Impairment, costs: ContractCosts['contractCosts']): string {
  return sumAmounts(costs.filter((row) => row.dealId === dealId).map((row) => row.impaired));
}

interface TestLineProps extends Pick<ImpairmentsProps, 'currency' | 'onChange'> {
  readonly test: Impairment;
  /** What is written down in the month, of all people of the deal. */
  readonly impaired: string;
}

function TestLine({ test, currency, impaired, onChange }: TestLineProps) {
  const { dealId, dealName, month, remainingConsideration, remainingCost, note } = test;
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
