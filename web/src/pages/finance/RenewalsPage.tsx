import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  accountingMonthsQuery,
  accountingQuery,
  type Policy,
  policiesQuery,
  type RenewalTests,
  renewalTestQuery,
} from '../../api/finance-queries.js';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { InlineSelect } from '../../components/Inline.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { renewalDecisions } from '../../features/finance/policy-words.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod, shiftPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';
import { WithBooks } from './WithBooks.js';

type Test = RenewalTests['tests'][number];

/** Whether renewals pay for themselves, by policy, with what the company has decided: a page to print and sign. */
export function RenewalsPage() {
  return (
    <WithBooks>
      <Renewals />
    </WithBooks>
  );
}

function Renewals() {
  const { month: requested } = useSearch({ from: '/_shell/month-end/renewals' });
  const navigate = useNavigate({ from: '/month-end/renewals' });
  const query = combineQueries({
    accounting: useQuery(accountingQuery),
    months: useQuery(accountingMonthsQuery),
    policies: useQuery(policiesQuery),
    renewals: useQuery(renewalTestQuery(requested)),
  });
  return (
    <Loaded query={query} height={480}>
      {({ accounting, months, policies, renewals: { month, tests } }) => (
        <Page
          title="Renewal test"
          crumbs={[{ label: 'Month-end', to: '/month-end' }, { label: 'Renewal test' }]}
          facts={[
            `${formatPeriod(shiftPeriod(month, -11))} to ${formatPeriod(month)}`,
            'Commission in percent of the value of contracts',
          ]}
          actions={
            <>
              <InlineSelect
                label="Until"
                value={month}
                choices={months.toReversed().map((each) => [each.month, formatPeriod(each.month)] as const)}
                onChange={({ target }) => navigate({ search: { month: target.value } })}
              />
              <Button icon={IconPrinter} onClick={() => window.print()}>
                Print
              </Button>
            </>
          }
        >
          {tests.length === 0 ? (
            <EmptyState title="No cost to compare">
              A policy that capitalises has no row of a deal in these months. Values and renewals come from the
              contracts of deals.
            </EmptyState>
          ) : null}
          {tests.map((test) => (
            <TestCard
              key={test.policy}
              test={test}
              decided={policies.findLast(({ name, renewals }) => name === test.policy && renewals !== undefined)}
              currency={accounting.entities[0]?.currency ?? ''}
            />
          ))}
        </Page>
      )}
    </Loaded>
  );
}

interface TestCardProps {
  readonly test: Test;
  /** The latest version of the policy that has a decision. */
  readonly decided: Policy | undefined;
  readonly currency: string;
}

function TestCard({ test, decided, currency }: TestCardProps) {
  const { policy, newBusiness, renewals, ratio, withoutValue } = test;
  return (
    <Card title={policy}>
      <DataTable
        caption={`Commission of ${policy}`}
        columns={columns(currency)}
        rows={[
          { what: 'New business', ...newBusiness },
          { what: 'Renewals', ...renewals },
        ]}
        rowKey={({ what }) => what}
      />
      <dl className={styles.states}>
        <div>
          <dt>Ratio</dt>
          <dd className="strong">{ratio === null ? 'not known' : formatNumber(ratio, 3)}</dd>
        </div>
        <div>
          <dt>Left out, without the value of a contract</dt>
          <dd>{formatCount(withoutValue, 'deal')}</dd>
        </div>
      </dl>
      {decided === undefined ? (
        <p className="dim">The company has not decided yet. A version of the policy has the decision and its reason.</p>
      ) : (
        <Decision policy={decided} />
      )}
      <p className={styles.signature}>Date, name and signature</p>
    </Card>
  );
}

function Decision({ policy: { version, status, renewals } }: { readonly policy: Policy }) {
  if (renewals === undefined) return null;
  const { decision, reason, test } = renewals;
  const seen = test?.ratio == null ? '' : `, when the ratio was ${formatNumber(test.ratio, 3)}`;
  return (
    <p>
      <span className="strong">Decision: {renewalDecisions[decision]}</span>{' '}
      <span className="dim">
        in version {version}, which is {status}
        {seen}
      </span>
      <span className="second">{reason}</span>
    </p>
  );
}

type Row = Test['renewals'] & { readonly what: string };

function columns(currency: string): readonly Column<Row>[] {
  const amount = (key: 'commission' | 'contractValue', header: string): Column<Row> => ({
    key,
    header,
    align: 'right',
    phone: 'detail',
    cell: (row) => <Money amount={row[key]} currency={currency} unit="none" dimsZero />,
  });
  return [
    { key: 'what', header: 'Contracts', phone: 'title', cell: ({ what }) => what },
    { key: 'deals', header: 'Deals', align: 'right', cell: ({ deals }) => formatNumber(deals) },
    amount('commission', 'Commission'),
    amount('contractValue', 'Value of contracts'),
    {
      key: 'percent',
      header: 'Commission, %',
      align: 'right',
      phone: 'amount',
      cell: ({ percent }) => (percent === null ? <span className="dim">none</span> : formatNumber(percent)),
    },
  ];
}
