import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePeopleById } from '../../api/people-by-id.js';
import { type PeopleFilter, type Person, peopleCountQuery, peopleQuery } from '../../api/person-list-queries.js';
import { roleNames } from '../../app/navigation.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { mayPay, type Role, useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { Tabs } from '../../components/Tabs.js';
import { useTogether } from '../../components/together.js';
import { ListedPeople, useFilterChoices, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, personFilterOf } from '../../features/people/person-filter.js';
import { PeoplePager, usePersonPages } from '../../features/people/person-pages.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import styles from './Payroll.module.css';
import { PayrollIdDialog } from './PayrollIdDialog.js';

const route = getRouteApi('/_shell/people');

type Part = 'missing' | 'all';

/** Everyone with their ID in the payroll system. Payroll adds missing IDs, admins also change them. */
export function PeoplePage() {
  const counted = combineQueries({
    all: useQuery(peopleCountQuery({})),
    missing: useQuery(peopleCountQuery(withoutId)),
    filters: useFilterChoices({}),
  });
  return (
    <Page
      title="People and IDs"
      crumbs={[{ label: 'People and IDs' }]}
      facts={
        counted.data === undefined
          ? [null]
          : [
              formatCount(counted.data.all, 'person', 'people'),
              `${formatNumber(counted.data.missing)} without a payroll ID`,
            ]
      }
    >
      <Loaded query={counted} height={480}>
        {({ all, missing }) => <People all={all} missing={missing} />}
      </Loaded>
    </Page>
  );
}

const withoutId: PeopleFilter = { withoutPayrollId: 'true' };

/** Whether files need an ID that is missing. Other roles are not paid by plans, as a rule. */
function hasNoId({ payrollId, active, role }: Person): boolean {
  return payrollId === null && active && (role === 'rep' || role === 'manager');
}

interface PeopleProps {
  readonly all: number;
  /** How many of them have no payroll ID. */
  readonly missing: number;
}

function People({ all, missing }: PeopleProps) {
  const { role } = useSession();
  const [part, setPart] = useState<Part>(missing > 0 ? 'missing' : 'all');
  const search = route.useSearch();
  const filter = personFilterOf(search);
  const navigate = useNavigate({ from: '/people' });
  const matching = usePeopleQuery(filter);
  const list = usePersonPages({ ...matching, ...(part === 'missing' ? withoutId : {}) });
  const together = useTogether({
    list,
    found: useQuery(peopleCountQuery(matching)),
    managers: usePeopleById((list.data?.reps ?? []).map(({ managerId }) => managerId)),
  });
  const [editedId, setEdited] = usePersistedChoice<string>('payroll-id');
  const edited = usePeopleById([editedId]);
  const admins = useQuery(peopleQuery({ role: 'admin', active: 'true' }, 0, maxNamedAdmins + 1)).data?.reps ?? [];
  return (
    <div>
      <Tabs<Part>
        label="People by payroll ID"
        current={part}
        onChange={setPart}
        tabs={[
          { key: 'missing', label: 'Without ID', count: missing },
          { key: 'all', label: 'All', count: all },
        ]}
        side={
          role === 'admin' || admins.length === 0 || admins.length > maxNamedAdmins ? undefined : (
            <span className="dim">
              {new Intl.ListFormat('en', { type: 'disjunction' }).format(admins.map(({ name }) => name))} changes
              existing IDs
            </span>
          )
        }
      />
      <div className={`${blocks.inOrder} ${styles.listed}`}>
        <ListedPeople
          of={{}}
          filter={filter}
          visible={together.data?.found}
          onFilter={(next) => navigate({ search: next, replace: true })}
        />
        <Loaded query={together} height={480}>
          {({ list: { reps, count }, managers }) =>
            count === 0 && isFiltered(filter) ? (
              <EmptyState title="No one who matches is in this list">Clear the filters to see everyone.</EmptyState>
            ) : count === 0 ? (
              <EmptyState title="Everyone has a payroll ID">Files of every layout can be made.</EmptyState>
            ) : (
              <>
                <DataTable
                  caption="People and their payroll IDs"
                  columns={buildColumns(
                    (id) => managers.get(id ?? '')?.name,
                    role,
                    ({ id }) => setEdited(id),
                  )}
                  rows={reps}
                  rowKey={({ id }) => id}
                  rowHeight={37}
                  isSorted
                />
                <PeoplePager list={list} />
              </>
            )
          }
        </Loaded>
      </div>
      {editedId === null ? null : (
        <Loaded query={edited} height={0}>
          {(people) =>
            [...people.values()].map((person) => (
              <PayrollIdDialog key={person.id} person={person} onClose={() => setEdited(null)} />
            ))
          }
        </Loaded>
      )}
    </div>
  );
}

/** More admins are not named. */
const maxNamedAdmins = 3;

function buildColumns(
  names: (id: string | null) => string | undefined,
  role: Role,
  onEdit: (person: Person) => void,
): readonly Column<Person>[] {
  const edit: Column<Person> = {
    key: 'edit',
    header: <span className="unseen">Action</span>,
    align: 'right',
    phone: 'note',
    cell: (person) =>
      mayPay(role) && (role === 'admin' || person.payrollId === null) ? (
        <LinkButton onClick={() => onEdit(person)} {...rowAction}>
          {person.payrollId === null ? 'Add ID' : 'Change'}
          <span className="unseen"> of {person.name}</span>
        </LinkButton>
      ) : null,
  };
  return [
    {
      key: 'name',
      header: 'Person',
      phone: 'title',
      sortBy: ({ name }) => name,
      cell: ({ name, active }) => (
        <span className="strong">
          {name}
          {active ? null : <span className="second">inactive</span>}
        </span>
      ),
    },
    { key: 'email', header: 'E-mail', phone: 'detail', sortBy: ({ email }) => email, cell: ({ email }) => email },
    { key: 'role', header: 'Role', sortBy: ({ role }) => role, cell: ({ role }) => roleNames[role] },
    {
      key: 'manager',
      header: 'Manager',
      sortBy: ({ managerId }) => names(managerId) ?? null,
      cell: ({ managerId }) => names(managerId) ?? <span className="dim">–</span>,
    },
    {
      key: 'payrollId',
      header: 'Payroll ID',
      phone: 'amount',
      sortBy: ({ payrollId }) => payrollId ?? null,
      cell: (person) =>
        person.payrollId ?? (hasNoId(person) ? <Badge tone="warning">Missing</Badge> : <span className="dim">–</span>),
    },
    edit,
  ];
}
