import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Person, peopleQuery } from '../../api/person-list-queries.js';
import { useSession } from '../../app/session.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { StatementLink } from '../../components/links.js';
import { netSums } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import { type Missing } from './missing.js';
import styles from './Payroll.module.css';
import { hasAmount } from './sums.js';

interface MissingPeopleProps {
  readonly period: string;
  readonly currency: string;
  readonly missing: readonly Missing[];
}

/** Who is not in the file, why, and one action for each. */
export function MissingPeople({ period, currency, missing }: MissingPeopleProps) {
  const rows = useFirstRows(missing);
  const [admin] = useQuery(peopleQuery({ role: 'admin', active: 'true' }, 0, 1)).data?.reps ?? [];
  return (
    <section>
      <h2 className={styles.heading}>Who is missing, and why</h2>
      {missing.length === 0 ? (
        <p className={styles.complete}>Every statement of {formatPeriod(period)} is approved.</p>
      ) : (
        <DataTable
          caption="People who are not in the file"
          columns={buildColumns(period, currency, admin)}
          rows={rows.visible}
          rowKey={({ statement }) => statement.repId}
          rowHeight={53}
          total={{
            person: 'Total so far',
            net: (
              <SumLines
                isTotal
                main={currency}
                sums={netSums(
                  missing.map(({ statement }) => statement),
                  currency,
                )}
              />
            ),
          }}
        />
      )}
      <ShowAll rows={rows} one="person" many="people" />
    </section>
  );
}

function buildColumns(period: string, currency: string, admin: Person | undefined): readonly Column<Missing>[] {
  return [
    {
      key: 'person',
      header: 'Person',
      width: '26%',
      phone: 'title',
      cell: ({ statement, manager }) => (
        <>
          <StatementLink repId={statement.repId} period={period} isRow>
            {statement.name}
          </StatementLink>
          <span className="second">{manager?.name}</span>
        </>
      ),
    },
    {
      key: 'reason',
      header: 'Reason',
      phone: 'detail',
      cell: ({ reason, detail }) => (
        <>
          {reason}
          <span className="second">{detail}</span>
        </>
      ),
    },
    {
      key: 'net',
      header: 'Net',
      align: 'right',
      phone: 'amount',
      cell: ({ statement }) =>
        hasAmount(statement) ? (
          <SumLines sums={netSums([statement], currency)} main={currency} />
        ) : (
          <span className="dim">–</span>
        ),
    },
    {
      key: 'action',
      header: <span className="unseen">Action</span>,
      align: 'right',
      phone: 'note',
      cell: (row) => <Action row={row} period={period} admin={admin} />,
    },
  ];
}

interface ActionProps {
  readonly row: Missing;
  readonly period: string;
  /** Who is reminded of a person without a manager. */
  readonly admin: Person | undefined;
}

/** What the reader can do about the reason. Payroll cannot approve, and reminds who can. */
function Action({ row: { statement, manager, disputeId }, period, admin }: ActionProps) {
  const { role } = useSession();
  const whose = <span className="unseen"> about {statement.name}</span>;
  if (disputeId !== null)
    return (
      <Link to="/questions/$disputeId" params={{ disputeId }}>
        Open{whose}
      </Link>
    );
  if (!hasAmount(statement) && statement.status === 'none') return null;
  if (role !== 'payroll')
    return (
      <Link to="/approvals" search={{ period }}>
        Review{whose}
      </Link>
    );
  const to = manager?.email ?? admin?.email ?? '';
  const subject = `Statement of ${statement.name} for ${formatPeriod(period)}`;
  const body = `The statement of ${statement.name} for ${formatPeriod(period)} is not approved yet, so the payroll file does not contain it.`;
  return (
    <a
      href={`mailto:${encodeURIComponent(to)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`}
    >
      Remind{whose}
    </a>
  );
}
