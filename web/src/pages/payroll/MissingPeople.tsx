import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePeopleById } from '../../api/people-by-id.js';
import { type Person, peopleQuery } from '../../api/person-list-queries.js';
import { countOf, isWhole, type PeopleQuery, teamOnPage, teamStatementsQuery } from '../../api/team-queries.js';
import { onlyReads, useSession } from '../../app/session.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { type Loading } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
import { ListPager } from '../../components/Pager.js';
import { useTogether } from '../../components/together.js';
import { netSums, type Sum } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import { largestFirst, type Missing, missingPeople } from './missing.js';
import styles from './Payroll.module.css';
import { hasAmount } from './sums.js';

interface MissingPage {
  readonly missing: readonly Missing[];
  /** The number of people on all pages. */
  readonly count: number;
}

/**
 * A page of the people who are not in the file, with their managers: by name, and with the largest amounts first if one page has
 * everyone.
 */
export function useMissingPeople(period: string, people: PeopleQuery, page: number): Loading<MissingPage> {
  const listed = useQuery(teamStatementsQuery(period, { ...people, status: 'missing' }, page));
  const listedPeople = usePeopleById((listed.data?.statements ?? []).map(({ repId }) => repId));
  const managers = usePeopleById([...(listedPeople.data?.values() ?? [])].map(({ managerId }) => managerId));
  const { data, ...state } = useTogether({ listed, people: listedPeople, managers }, period);
  if (data === undefined) return { ...state, data };
  const { statements } = data.listed;
  const missing = missingPeople(statements, new Map([...data.managers, ...data.people]));
  return {
    ...state,
    data: {
      missing: isWhole(data.listed, statements) ? largestFirst(missing) : missing,
      count: countOf(data.listed, statements),
    },
  };
}

interface MissingPeopleProps extends MissingPage {
  readonly period: string;
  readonly currency: string;
  /** Of everyone who is not in the file. */
  readonly sums: readonly Sum[];
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** Who is not in the file, why, and one action for each. */
export function MissingPeople({ period, currency, missing, count, sums, page, onPage }: MissingPeopleProps) {
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
            net: <SumLines isTotal main={currency} sums={sums} />,
          }}
        />
      )}
      <ShowAll rows={rows} total={count} one="person" many="people" />
      <ListPager page={page} pageSize={teamOnPage} count={count} onChange={onPage} />
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

/** What the reader can do about the reason. Who only reads cannot approve, and reminds who can. */
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
  if (!onlyReads(role))
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
