import { type PayrollSums } from '../../api/payroll-queries.js';
import { teamOnPage } from '../../api/team-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { ListPager } from '../../components/Pager.js';
import { sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import styles from './Payroll.module.css';

type Team = PayrollSums['teams'][number];

interface ReadyByTeamProps {
  /** Of the people who pass the filter of the page. */
  readonly sums: PayrollSums;
  /** The number of those people. */
  readonly people: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** The approved amounts by the manager of today. */
export function ReadyByTeam({
  sums: { currency, isPayPeriod, approved, teams, teamCount },
  people,
  page,
  onPage,
}: ReadyByTeamProps) {
  const rows = useFirstRows(teams);
  return (
    <section>
      <h2 className={styles.heading}>{isPayPeriod ? 'Approved, by team' : 'Ready, by team'}</h2>
      <DataTable
        caption="Approved amounts by team"
        columns={buildColumns(currency)}
        rows={rows.visible}
        rowKey={({ managerId }) => managerId ?? ''}
        rowHeight={33}
        total={{
          team: 'All teams',
          people: describeCount(approved.people, people),
          net: <SumLines sums={sumByCurrency(approved.sums, currency)} main={currency} isTotal />,
        }}
      />
      <ShowAll rows={rows} total={teamCount} one="team" />
      <ListPager page={page} pageSize={teamOnPage} count={teamCount} onChange={onPage} />
    </section>
  );
}

function buildColumns(currency: string): readonly Column<Team>[] {
  return [
    {
      key: 'team',
      header: 'Manager today',
      phone: 'title',
      cell: ({ managerName }) => <span className="strong">{managerName ?? 'No manager'}</span>,
    },
    {
      key: 'people',
      header: 'People',
      align: 'right',
      phone: 'detail',
      cell: ({ approved, people }) => <span className="num">{describeCount(approved, people)}</span>,
    },
    {
      key: 'net',
      header: 'Net',
      align: 'right',
      phone: 'amount',
      cell: ({ sums }) => <SumLines sums={sumByCurrency(sums, currency)} main={currency} />,
    },
  ];
}

function describeCount(approved: number, people: number): string {
  return `${formatNumber(approved)} of ${formatNumber(people)}`;
}
