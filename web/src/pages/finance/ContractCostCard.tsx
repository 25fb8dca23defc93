import { useQuery } from '@tanstack/react-query';
import { type ContractCosts, contractCostsQuery, costsOnPage } from '../../api/finance-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { useListPage } from '../../components/list-page.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { ListPager } from '../../components/Pager.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';
import { ImpairmentDialog } from './ImpairmentDialog.js';
import { ImpairmentsCard } from './ImpairmentsCard.js';
import { type BooksProps } from './LiabilityCards.js';

type Row = ContractCosts['contractCosts'][number];

const columns = [
  ['opening', 'Opening'],
  ['imported', 'Imported'],
  ['additions', 'Additions'],
  ['corrections', 'Corrections'],
  ['amortised', 'Amortised'],
  ['clawedBack', 'Clawed back'],
  ['impaired', 'Impaired'],
  ['closing', 'Closing'],
] as const;

interface CostProps extends BooksProps {
  /** Whether the month can still change. */
  readonly isOpen: boolean;
}

/** The asset: its roll-forward, future expense, and what is behind it by deal. Nothing without policies. */
export function ContractCostCard({ month, entity, isOpen }: CostProps) {
  const sums = useQuery(contractCostsQuery(month, entity, 'total'));
  return (
    <Loaded query={sums} height={240}>
      {(costs) => {
        const [row] = costs.contractCosts;
        return row === undefined ? null : (
          <>
            <Card title="Capitalised cost of contracts" note={`in ${costs.currency}`}>
              <Facing
                rows={columns.map(([name, label]) => [
                  label,
                  <Money key={name} amount={row[name]} currency={costs.currency} unit="none" />,
                ])}
              />
              <Facing
                rows={[
                  ['Current', <Money key="c" amount={costs.current} currency={costs.currency} unit="none" />],
                  ['Non-current', <Money key="n" amount={costs.nonCurrent} currency={costs.currency} unit="none" />],
                ]}
              />
              <Curve costs={costs} />
            </Card>
            <DealsCard month={month} entity={entity} isOpen={isOpen} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Future expense by month as bars, each with its amount in words. */
function Curve({ costs: { future, currency } }: { readonly costs: ContractCosts }) {
  if (future === null) return null;
  const highest = Math.max(...future.map(({ amount }) => amount), 0);
  if (highest === 0) return null;
  return (
    <figure className={styles.curve}>
      <figcaption>Future expense</figcaption>
      <ol>
        {future.slice(0, 60).map(({ month, amount }) => (
          <li key={month} title={`${formatPeriod(month)}: ${formatMoney(amount, currency)}`}>
            <span aria-hidden="true" style={{ height: `${(amount / highest) * 100}%` }} />
            <span className="unseen">
              {formatPeriod(month)}: <Money amount={amount} currency={currency} />
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function DealsCard({ month, entity, isOpen }: CostProps) {
  const [page, setPage] = useListPage({ month, entity });
  const deals = useQuery(contractCostsQuery(month, entity, 'deal', page));
  const { role } = useSession();
  const [tested, test] = usePersistedChoice<string>('impairment');
  const onTest = isOpen && role === 'admin' ? test : null;
  return (
    <Loaded query={deals} height={320}>
      {({ contractCosts, currency, count }) => {
        const deal = contractCosts.find(({ dealId }) => dealId === tested);
        return (
          <>
            <Card title="Cost by deal" isFlush>
              <DataTable
                caption="Capitalised cost of each person and deal"
                columns={dealColumns(currency, onTest)}
                rows={contractCosts}
                rowKey={({ repId, dealId }) => `${repId} ${dealId}`}
                isInset
              />
              <ListPager page={page} pageSize={costsOnPage} count={count} onChange={setPage} />
            </Card>
            <ImpairmentsCard {...{ month, entity, currency }} onChange={onTest} />
            {tested === null || deal === undefined || onTest === null ? null : (
              <ImpairmentDialog
                month={month}
                dealId={tested}
                dealName={deal.dealName}
                currency={currency}
                onClose={() => test(null)}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function dealColumns(currency: string, onTest: ((dealId: string) => void) | null): readonly Column<Row>[] {
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      sortBy: ({ dealName, dealId }) => dealName ?? dealId,
      cell: ({ dealId, dealName }) => (dealId === null ? null : <DealLink dealId={dealId} name={dealName} isRow />),
    },
    {
      key: 'person',
      header: 'Person',
      phone: 'detail',
      sortBy: ({ repName }) => repName,
      cell: ({ repName }) => repName,
    },
    ...columns.map(
      ([name, label]): Column<Row> => ({
        key: name,
        header: label,
        align: 'right',
        sortBy: (row) => row[name],
        ...(name === 'closing' ? { phone: 'amount' as const } : {}),
        cell: (row) => <Money amount={row[name]} currency={currency} unit="none" dimsZero />,
      }),
    ),
    ...(onTest === null ? [] : [testColumn(onTest)]),
  ];
}

function testColumn(onTest: (dealId: string) => void): Column<Row> {
  return {
    key: 'test',
    header: <span className="unseen">Impairment</span>,
    align: 'right',
    phone: 'note',
    cell: ({ dealId, dealName }) =>
      dealId === null ? null : (
        <LinkButton onClick={() => onTest(dealId)} aria-label={`Test ${dealName ?? dealId} for impairment`}>
          Test
        </LinkButton>
      ),
  };
}
