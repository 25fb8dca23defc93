import { useQuery } from '@tanstack/react-query';
import { type Answer } from '../../api/client.js';
import { ownStatementsQuery } from '../../api/queries.js';
import { isPaidElsewhere } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { usePeriod } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { OwnDraws } from '../../features/draws/OwnDraws.js';
import { BalanceOfPerson } from '../../features/payables/BalanceOfPerson.js';
import { PaidBadge } from '../../features/payslip/PaidBadge.js';
import { type PayHeadline } from '../../features/payslip/words.js';
import { YourMoney } from '../../features/payslip/YourMoney.js';
import { DownloadLink } from '../../features/statements/DownloadLink.js';
import { sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

/** The person's own statements. */
export function StatementsPage() {
  const { repId, workspace } = useSession();
  const statements = useQuery(ownStatementsQuery(repId));
  const period = usePeriod();
  return (
    <Page
      title="Statements"
      crumbs={[{ label: 'Statements' }]}
      facts={[statements.data === undefined ? null : formatCount(statements.data.length, 'statement')]}
    >
      <BalanceOfPerson repId={repId} />
      <OwnDraws repId={repId} />
      <Loaded query={statements} height={240}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              title="No statement yet"
              sum={formatMoney(0, workspace.currency)}
              actions={
                <StatementLink repId={repId} period={period} className="strong">
                  See {formatPeriod(period)} so far
                </StatementLink>
              }
            >
              Your manager generates a statement for each period. Until then you see the amounts so far.
            </EmptyState>
          ) : (
            <>
              {rows.some(({ payslip }) => payslip !== undefined) ? <YourMoney repId={repId} /> : null}
              <Card isFlush>
                <StatementTable rows={rows} repId={repId} />
              </Card>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

type Row = Answer<'listRepStatements'>[number];

const netColumn: Column<Row> = {
  key: 'net',
  header: 'Net payout',
  align: 'right',
  phone: 'amount',
  sortBy: ({ netPayout }) => netPayout,
  cell: (row) => <Money amount={isPaidElsewhere(row) ? null : row.netPayout} currency={row.currency} />,
};

/** What the statement pays; that of a period before payouts is what it earns. */
const payableColumn: Column<Row> = {
  key: 'payable',
  header: 'Pays',
  align: 'right',
  phone: 'amount',
  sortBy: ({ payslip, netPayout }) => payslip?.pays[0]?.amount ?? netPayout,
  cell: (row) => (row.payslip === undefined ? netColumn.cell(row) : <Sums of={row.payslip} sums={row.payslip.pays} />),
};

interface SumsProps {
  readonly of: PayHeadline;
  readonly sums: PayHeadline['pays'];
}

function Sums({ of: { currency }, sums }: SumsProps) {
  return <SumLines sums={sumByCurrency(sums, currency)} />;
}

const earnedColumn: Column<Row> = {
  key: 'earned',
  header: 'Earned',
  align: 'right',
  phone: 'note',
  sortBy: ({ payslip, netPayout }) => payslip?.earned[0]?.amount ?? netPayout,
  cell: (row) =>
    row.payslip === undefined ? netColumn.cell(row) : <Sums of={row.payslip} sums={row.payslip.earned} />,
};

function StatementTable({ rows, repId }: { readonly rows: readonly Row[]; readonly repId: string }) {
  const hasPayouts = rows.some(({ payslip }) => payslip !== undefined);
  const columns: readonly Column<Row>[] = [
    {
      key: 'period',
      header: 'Period',
      phone: 'title',
      cell: ({ period }) => (
        <StatementLink repId={repId} period={period} className="strong" isRow>
          {formatPeriod(period)}
        </StatementLink>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      phone: 'detail',
      cell: (row) =>
        isPaidElsewhere(row) ? (
          <span className="dim">Paid with {row.coveredBy.map(formatPeriod).join(', ')}</span>
        ) : (
          <PaidBadge status={row.status} version={row.version} payslip={row.payslip} />
        ),
    },
    {
      key: 'at',
      header: 'Generated or approved',
      cell: ({ generatedAt, approvedAt }) => <span className="dim">{formatTimestamp(approvedAt ?? generatedAt)}</span>,
    },
    ...(hasPayouts ? [payableColumn, earnedColumn] : [netColumn]),
    {
      key: 'file',
      header: 'File',
      align: 'right',
      phone: 'note',
      cell: ({ period }) => (
        <DownloadLink repId={repId} period={period}>
          PDF<span className="unseen"> of {formatPeriod(period)}</span>
        </DownloadLink>
      ),
    },
  ];
  return (
    <DataTable
      caption="Your statements"
      columns={columns}
      rows={rows}
      rowKey={({ period }) => period}
      rowHeight={35}
      isInset
    />
  );
}
