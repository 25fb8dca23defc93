import { IconFileImport, IconMail, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type Person, peopleQuery } from '../../api/payroll-queries.js';
import { roleNames } from '../../app/navigation.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button, ButtonContent, buttonClass, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Check } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { MailNote } from '../../components/MailNote.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { Tabs } from '../../components/Tabs.js';
import { toggled } from '../../components/toggled.js';
import { PersonFilters } from '../../features/people/PersonFilters.js';
import { fieldInWords, type PersonField, personFieldsQuery } from '../../features/people/person-fields.js';
import { filterPeople, type PersonFilter } from '../../features/people/person-filter.js';
import { SavedViews } from '../../features/views/SavedViews.js';
import { formatCount } from '../../shared/format/numbers.js';
import { byName } from '../../shared/format/texts.js';
import styles from './Data.module.css';
import { PersonDialog } from './PersonDialog.js';
import { useInvite } from './use-invite.js';

const ChangePeopleDialog = lazy(() =>
  import('./ChangePeopleDialog.js').then((module) => ({ default: module.ChangePeopleDialog })),
);

const route = getRouteApi('/_shell/members');

export type MemberView = 'list' | 'tree';

/** Everyone with role, manager and invitation; as a list or as a tree of managers. */
export function MembersPage() {
  const { view = 'list', ...filter } = route.useSearch();
  const navigate = useNavigate({ from: '/members' });
  const people = useQuery(peopleQuery);
  const [edited, setEdited] = usePersistedChoice<string>('person');
  const reps = people.data?.reps ?? [];
  return (
    <Page
      title="People"
      crumbs={[{ label: 'People' }]}
      facts={[people.data === undefined ? null : formatCount(reps.length, 'person', 'people')]}
      actions={
        <>
          <Link to="/imports/$kind" params={{ kind: 'people' }} className={buttonClass()}>
            <ButtonContent icon={IconFileImport}>Import</ButtonContent>
          </Link>
          <Button kind="primary" onClick={() => setEdited('new')}>
            Add person
          </Button>
        </>
      }
    >
      <MailNote />
      <Loaded query={people} height={480}>
        {({ reps: all }) => (
          <>
            <Tabs<MemberView>
              label="View"
              current={view}
              onChange={(next) => navigate({ search: { ...filter, view: next === 'list' ? undefined : next } })}
              tabs={[
                { key: 'list', label: 'List', count: all.length },
                { key: 'tree', label: 'Managers' },
              ]}
            />
            {view === 'list' ? (
              <MemberList
                people={all}
                filter={filter}
                onFilter={(next) => navigate({ search: next, replace: true })}
                onEdit={setEdited}
              />
            ) : (
              <Tree people={all} onEdit={setEdited} />
            )}
          </>
        )}
      </Loaded>
      {edited === null || people.data === undefined ? null : (
        <PersonDialog
          person={reps.find(({ id }) => id === edited) ?? null}
          people={reps}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  );
}

interface MembersProps {
  readonly people: readonly Person[];
  readonly onEdit: (personId: string) => void;
}

interface MemberListProps extends MembersProps {
  readonly filter: PersonFilter;
  readonly onFilter: (filter: PersonFilter) => void;
}

function MemberList({ people, filter, onFilter, onEdit }: MemberListProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isChanging, setChanging] = useState(false);
  const { repId } = useSession();
  const names = new Map(people.map(({ id, name }) => [id, name]));
  const visible = filterPeople(byName(people), people, filter);
  const { data: fields = [] } = useQuery(personFieldsQuery);
  const invite = useInvite(() => setChosen(new Set()));
  if (people.length === 0)
    return <EmptyState title="No people yet">Import a file, connect a CRM, or add people one by one.</EmptyState>;
  return (
    <>
      <PersonFilters people={people} filter={filter} visible={visible.length} onFilter={onFilter} hasInactive />
      <SavedViews />
      <DataTable
        caption="People"
        columns={buildColumns(names, visible, chosen, setChosen, onEdit, repId, fields)}
        rows={visible}
        rowKey={({ id }) => id}
        selectedKeys={chosen}
        rowHeight={50}
      />
      {chosen.size === 0 ? null : (
        <div className={`${blocks.saveLine} ${blocks.chosen}`}>
          <span className="dim">{formatCount(chosen.size, 'person', 'people')} selected</span>
          <Button onClick={() => setChosen(new Set())}>Clear</Button>
          <Button icon={IconPencil} onClick={() => setChanging(true)}>
            Change
          </Button>
          <Button icon={IconMail} kind="primary" isBusy={invite.isBusy} onClick={() => invite.send([...chosen])}>
            Invite {formatCount(chosen.size, 'person', 'people')}
          </Button>
        </div>
      )}
      {isChanging ? (
        <Suspense>
          <ChangePeopleDialog
            chosen={people.filter(({ id }) => chosen.has(id))}
            people={people}
            onClose={() => setChanging(false)}
            onDone={() => {
              setChanging(false);
              setChosen(new Set());
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}

function buildColumns(
  names: ReadonlyMap<string, string>,
  visible: readonly Person[],
  chosen: ReadonlySet<string>,
  onChosen: (chosen: ReadonlySet<string>) => void,
  onEdit: (personId: string) => void,
  ownId: string,
  fields: readonly PersonField[],
): readonly Column<Person>[] {
  const all = visible.length > 0 && visible.every(({ id }) => chosen.has(id));
  return [
    {
      key: 'choose',
      header: (
        <Check
          label="Everyone"
          checked={all}
          isPartial={!all && chosen.size > 0}
          onChange={() => onChosen(new Set(all ? [] : visible.map(({ id }) => id)))}
        />
      ),
      width: '40px',
      phone: 'lead',
      cell: ({ id, name }) => (
        <Check label={name} checked={chosen.has(id)} onChange={() => onChosen(toggled(chosen, id))} />
      ),
    },
    {
      key: 'name',
      header: 'Person',
      phone: 'title',
      sortBy: ({ name }) => name,
      cell: (person) => (
        <>
          <RowButton onClick={() => onEdit(person.id)} {...rowAction}>
            {person.name}
          </RowButton>
          <span className="second">{person.email}</span>
        </>
      ),
    },
    { key: 'role', header: 'Role', phone: 'detail', sortBy: ({ role }) => role, cell: ({ role }) => roleNames[role] },
    {
      key: 'team',
      header: 'Team and title',
      phone: 'detail',
      sortBy: ({ team }) => team ?? null,
      cell: (person) => <TeamAndTitle {...person} />,
    },
    {
      key: 'manager',
      header: 'Manager',
      phone: 'detail',
      sortBy: ({ managerId }) => names.get(managerId ?? '') ?? null,
      cell: ({ managerId }) => names.get(managerId ?? '') ?? <span className="dim">–</span>,
    },
    ...fields
      .filter((field) => visible.some((person) => fieldInWords(field, person) !== null))
      .map(
        (field): Column<Person> => ({
          key: `field ${field.slug}`,
          header: field.label,
          phone: 'detail',
          align: field.type === 'number' ? 'right' : 'left',
          sortBy: ({ fields: values = {} }) => values[field.slug] ?? null,
          cell: (person) => fieldInWords(field, person) ?? <span className="dim">–</span>,
        }),
      ),
    {
      key: 'crm',
      header: 'Owner ID in deals',
      sortBy: ({ crmMemberId }) => crmMemberId ?? null,
      cell: ({ crmMemberId }) => crmMemberId ?? <span className="dim">–</span>,
    },
    {
      key: 'state',
      header: 'State',
      phone: 'note',
      cell: (person) => (person.id === ownId ? <Badge tone="good">Signed in</Badge> : <MemberState {...person} />),
    },
    {
      key: 'working-time',
      header: <span className="unseen">Profile</span>,
      align: 'right',
      cell: ({ id, name }) => (
        <Link to="/members/$repId" params={{ repId: id }} aria-label={`Profile and working time of ${name}`}>
          Profile
        </Link>
      ),
    },
  ];
}

function TeamAndTitle({ team, title, location }: Person) {
  const second = [title, location].filter((text) => text !== null).join(', ');
  return (
    <>
      {team ?? <span className="dim">–</span>}
      {second === '' ? null : <span className="second">{second}</span>}
    </>
  );
}

function MemberState({ active, invite_status: invited, inviteMail }: Person) {
  if (!active) return <Badge tone="neutral">Inactive</Badge>;
  if (invited === 'accepted') return <Badge tone="good">Signed in</Badge>;
  if (inviteMail === 'not_sent') return <Badge tone="warning">Invitation not sent</Badge>;
  return invited === 'invited' ? <Badge tone="info">Invited</Badge> : <Badge tone="neutral">Not invited</Badge>;
}

/** Everyone below their manager. */
function Tree({ people, onEdit }: MembersProps) {
  const below = new Map<string | null, Person[]>();
  const ids = new Set(people.map(({ id }) => id));
  for (const person of people) {
    const above = person.managerId !== null && ids.has(person.managerId) ? person.managerId : null;
    below.set(above, [...(below.get(above) ?? []), person]);
  }
  const branch = (above: string | null): React.ReactNode => {
    const members = below.get(above) ?? [];
    if (members.length === 0) return null;
    return (
      <ul>
        {members.map((person) => (
          <li key={person.id}>
            <RowButton onClick={() => onEdit(person.id)}>{person.name}</RowButton>{' '}
            <span className="dim">
              {roleNames[person.role]}
              {below.has(person.id) ? `, ${formatCount(below.get(person.id)?.length ?? 0, 'report')}` : ''}
            </span>
            {branch(person.id)}
          </li>
        ))}
      </ul>
    );
  };
  return <div className={styles.tree}>{branch(null)}</div>;
}
