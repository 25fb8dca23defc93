import { type Person } from '../../api/person-list-queries.js';
import { type TeamStatement, type TeamStatements } from '../../api/team-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { hasPayouts, netSums } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import styles from './Payroll.module.css';
import { isApproved } from './sums.js';

interface Team {
  readonly key: string;
  readonly manager: Person | null;
  readonly statements: readonly TeamStatement[];
}

interface ReadyByTeamProps {
  readonly team: TeamStatements;
  /** The people of the statements and their managers, by id. */
  readonly people: ReadonlyMap<string, Person>;
}

/** The approved amounts by the manager of today. */
export function ReadyByTeam({ team: { statements, currency }, people }: ReadyByTeamProps) {
  const ready = statements.filter(isApproved);
  const rows = useFirstRows(groupByTeam(statements, people));
  return (
    <section>
      <h2 className={styles.heading}>{hasPayouts(statements) ? 'Approved, by team' : 'Ready, by team'}</h2>
      <DataTable
        caption="Approved amounts by team"
        columns={buildColumns(currency)}
        rows={rows.visible}
        rowKey={({ key }) => key}
        rowHeight={33}
        total={{
          team: 'All teams',
          people: describeCount(statements),
          net: <SumLines sums={netSums(ready, currency)} main={currency} isTotal />,
        }}
      />
      <ShowAll rows={rows} one="team" />
    </section>
  );
}

function buildColumns(currency: string): readonly Column<Team>[] {
  return [
    {
      key: 'team',
      header: 'Manager today',
      phone: 'title',
      cell: ({ manager }) => <span className="strong">{manager?.name ?? 'No manager'}</span>,
    },
    {
      key: 'people',
      header: 'People',
      align: 'right',
      phone: 'detail',
      cell: ({ statements }) => <span className="num">{describeCount(statements)}</span>,
    },
    {
      key: 'net',
      header: 'Net',
      align: 'right',
      phone: 'amount',
      cell: ({ statements }) => <SumLines sums={netSums(statements.filter(isApproved), currency)} main={currency} />,
    },
  ];
}

function describeCount(statements: readonly TeamStatement[]): string {
  return `${formatNumber(statements.filter(isApproved).length)} of ${formatNumber(statements.length)}`;
}

function groupByTeam(statements: readonly TeamStatement[], byId: ReadonlyMap<string, Person>): readonly Team[] {
  return [...Map.groupBy(statements, ({ repId }) => byId.get(repId)?.managerId ?? '')]
    .map(([key, ofIt]) => ({ key, manager: byId.get(key) ?? null, statements: ofIt }))
    .sort((left, other) => other.statements.length - left.statements.length);
}
