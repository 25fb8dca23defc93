import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Person, peopleQuery } from '../../api/payroll-queries.js';
import { roleNames } from '../../app/navigation.js';
import { isPersisted } from '../../app/persisted-state.js';
import { type Role, useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { Tabs } from '../../components/Tabs.js';
import { ListedPeople, usePersonFilter } from '../../features/people/ListedPeople.js';
import { isFiltered, personFilterOf } from '../../features/people/person-filter.js';
import { formatCount } from '../../shared/format/numbers.js';
import styles from './Payroll.module.css';
import { PayrollIdDialog, payrollIdKey } from './PayrollIdDialog.js';

const route = getRouteApi('/_shell/people');

type Part = 'missing' | 'all';

/** Everyone with their ID in the payroll system. Payroll adds missing IDs, admins also change them. */
export function PeoplePage() {
  const people = useQuery(peopleQuery);
  const reps = people.data?.reps;
  return (
    <Page
      title="People and IDs"
      crumbs={[{ label: 'People and IDs' }]}
      facts={[
        reps === undefined ? null : formatCount(reps.length, 'person', 'people'),
        reps === undefined ? null : `${reps.filter(hasNoId).length} without a payroll ID`,
      ]}
    >
      <Loaded query={people} height={480}>
        {(loaded) => <People people={loaded.reps} />}
      </Loaded>
    </Page>
  );
}

/** Whether files need an ID that is missing. Other roles are not paid by plans, as a rule. */
function hasNoId({ payrollId, active, role }: Person): boolean {
  return payrollId === null && active && (role === 'rep' || role === 'manager');
}

function People({ people }: { readonly people: readonly Person[] }) {
  const { role } = useSession();
  const missing = people.filter(hasNoId);
  const [part, setPart] = useState<Part>(missing.length > 0 ? 'missing' : 'all');
  const [edited, setEdited] = useState(() => people.find(({ id }) => isPersisted(payrollIdKey(id))) ?? null);
  const admins = people.filter((person) => person.role === 'admin' && person.active).map(({ name }) => name);
  const filter = personFilterOf(route.useSearch());
  const navigate = useNavigate({ from: '/people' });
  const isFound = usePersonFilter(filter);
  const visible = (part === 'all' ? people : missing).filter((person) => isFound(person.id, person.name));
  return (
    <div>
      <Tabs<Part>
        label="People by payroll ID"
        current={part}
        onChange={setPart}
        tabs={[
          { key: 'missing', label: 'Without ID', count: missing.length },
          { key: 'all', label: 'All', count: people.length },
        ]}
        side={
          role === 'admin' || admins.length === 0 || admins.length > 3 ? undefined : (
            <span className="dim">
              {new Intl.ListFormat('en', { type: 'disjunction' }).format(admins)} changes existing IDs
            </span>
          )
        }
      />
      <div className={`${blocks.inOrder} ${styles.listed}`}>
        <ListedPeople
          repIds={people.map(({ id }) => id)}
          filter={filter}
          visible={people.filter((person) => isFound(person.id, person.name)).length}
          onFilter={(search) => navigate({ search, replace: true })}
        />
        {visible.length === 0 && isFiltered(filter) ? (
          <EmptyState title="No one who matches is in this list">Clear the filters to see everyone.</EmptyState>
        ) : visible.length === 0 ? (
          <EmptyState title="Everyone has a payroll ID">Files of every layout can be made.</EmptyState>
        ) : (
          <DataTable
            caption="People and their payroll IDs"
            columns={buildColumns(people, role, setEdited)}
            rows={visible}
            rowKey={({ id }) => id}
            rowHeight={37}
          />
        )}
      </div>
      {edited === null ? null : <PayrollIdDialog person={edited} onClose={() => setEdited(null)} />}
    </div>
  );
}

function buildColumns(
  people: readonly Person[],
  role: Role,
  onEdit: (person: Person) => void,
): readonly Column<Person>[] {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  const edit: Column<Person> = {
    key: 'edit',
    header: <span className="unseen">Action</span>,
    align: 'right',
    phone: 'note',
    cell: (person) =>
      role === 'admin' || person.payrollId === null ? (
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
      cell: ({ managerId }) => names.get(managerId ?? '') ?? <span className="dim">–</span>,
    },
    {
      key: 'id',
      header: 'Payroll ID',
      phone: 'amount',
      sortBy: ({ payrollId }) => payrollId ?? null,
      cell: (person) =>
        person.payrollId ?? (hasNoId(person) ? <Badge tone="warning">Missing</Badge> : <span className="dim">–</span>),
    },
    edit,
  ];
}
