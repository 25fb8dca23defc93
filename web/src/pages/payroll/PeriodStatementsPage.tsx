import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  countOf,
  isWhole,
  type TeamStatement,
  type TeamStatements,
  teamOnPage,
  teamStatementsQuery,
} from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { useEndedPeriod } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { personColumn } from '../../components/links.js';
import { useListPage } from '../../components/list-page.js';
import { Money } from '../../components/Money.js';
import { Card, Page } from '../../components/Page.js';
import { ListPager } from '../../components/Pager.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { PaidBadge } from '../../features/payslip/PaidBadge.js';
import { ListedPeople, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, personFilterOf } from '../../features/people/person-filter.js';
import { DownloadLink } from '../../features/statements/DownloadLink.js';
import { hasPayouts, netSums, paidAmount, type Sum, servedSums } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

const route = getRouteApi('/_shell/payroll-statements');

/** The statements of everyone in a period. */
export function PeriodStatementsPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/payroll-statements' });
  const period = useEndedPeriod(route.useSearch().period);
  const team = useQuery(teamStatementsQuery(period));
  return (
    <Page
      isInOrder
      title={`Statements for ${formatPeriod(period)}`}
      crumbs={[{ label: 'Statements', to: '/payroll-statements' }, { label: formatPeriod(period) }]}
      facts={[
        team.data === undefined ? null : formatCount(countOf(team.data, team.data.statements), 'person', 'people'),
        `amounts in ${workspace.currency}`,
      ]}
      actions={
        <PeriodPicker
          period={period}
          onChange={(next) => navigate({ search: (present) => ({ ...present, period: next }) })}
        />
      }
    >
      <Loaded query={team} height={480}>
        {(statements) =>
          statements.statements.length === 0 ? (
            <EmptyState title={`No statements for ${formatPeriod(period)}`} sum={formatMoney(0, statements.currency)}>
              People appear here when they have a plan or an amount in the period.
            </EmptyState>
          ) : (
            <StatementTable period={period} team={statements} />
          )
        }
      </Loaded>
    </Page>
  );
}

function StatementTable({ period, team }: { readonly period: string; readonly team: TeamStatements }) {
  const { statements, currency } = team;
  const navigate = useNavigate({ from: '/payroll-statements' });
  const filter = personFilterOf(route.useSearch());
  const people = usePeopleQuery(filter);
  const [page, onPage] = useListPage({ period, people });
  const found = useQuery(teamStatementsQuery(period, people, page));
  const count = found.data && countOf(found.data, found.data.statements);
  return (
    <>
      <ListedPeople
        count={countOf(team, statements)}
        filter={filter}
        visible={count}
        onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
      />
      <Loaded query={found} height={480}>
        {(listed) => (
          <Card isFlush>
            <DataTable
              caption="Statements of the period"
              columns={buildColumns(period, currency, hasPayouts(statements))}
              rows={listed.statements}
              rowKey={({ repId }) => repId}
              rowHeight={37}
              isInset
              total={{
                person: isFiltered(filter)
                  ? formatCount(countOf(listed, listed.statements), 'person', 'people')
                  : 'Everyone',
                net: <SumLines sums={totalSums(listed)} main={currency} isTotal />,
              }}
            />
          </Card>
        )}
      </Loaded>
      <ListPager page={page} pageSize={teamOnPage} count={count ?? 0} onChange={onPage} />
    </>
  );
}

/** What everyone is paid by currency, also people of other pages. */
function totalSums(team: TeamStatements): readonly Sum[] {
  const { statements, currency, totals, otherCurrencies } = team;
  if (isWhole(team, statements)) return netSums(statements, currency);
  return servedSums([{ currency, summary: totals }, ...otherCurrencies], currency);
}

type AmountName = Exclude<keyof TeamStatement['summary'], 'payable'>;

function buildColumns(period: string, main: string, pays: boolean): readonly Column<TeamStatement>[] {
  const amount = (key: AmountName, header: string): Column<TeamStatement> => ({
    key,
    header,
    align: 'right',
    sortBy: ({ summary }) => summary[key],
    cell: ({ summary, currency }) => (
      <Money amount={summary[key]} currency={currency} unit={currency === main ? 'none' : 'code'} />
    ),
  });
  return [
    personColumn(period),
    {
      key: 'status',
      header: 'Status',
      phone: 'detail',
      sortBy: ({ status }) => status,
      cell: ({ status, version, payslip }) => <PaidBadge status={status} version={version} payslip={payslip} />,
    },
    amount('totalCommission', 'Commission'),
    amount('totalBonuses', 'Bonuses'),
    amount('totalAdjustments', 'Adjustments'),
    ...(pays ? [amount('netPayout', 'Earned')] : []),
    {
      key: 'net',
      header: pays ? 'Payable' : 'Net payout',
      align: 'right',
      phone: 'amount',
      sortBy: paidAmount,
      cell: (statement) => <SumLines sums={netSums([statement], main)} main={main} />,
    },
    {
      key: 'file',
      header: 'File',
      align: 'right',
      phone: 'note',
      cell: ({ repId, name }) => (
        <DownloadLink repId={repId} period={period}>
          PDF<span className="unseen"> of {name}</span>
        </DownloadLink>
      ),
    },
  ];
}
