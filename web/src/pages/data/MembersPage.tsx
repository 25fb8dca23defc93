import { IconFileImport, IconMail, IconPencil } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { usePeopleById } from '../../api/people-by-id.js';
import {
  loadPeopleToChange,
  maxChangedPeople,
  type PeopleFilter,
  type Person,
  peopleCountQuery,
  peopleOnPage,
  peopleQuery,
  personChoicesQuery,
} from '../../api/person-list-queries.js';
import { showProblem } from '../../app/messages.js';
import { roleNames } from '../../app/navigation.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button, ButtonContent, buttonClass, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Check } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { MailNote } from '../../components/MailNote.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { Tabs } from '../../components/Tabs.js';
import { useTogether } from '../../components/together.js';
import { ListedPeople, useFilterChoices, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { fieldInWords, type PersonField, personFieldsQuery } from '../../features/people/person-fields.js';
import { type PersonFilter } from '../../features/people/person-filter.js';
import { PeoplePager, usePersonPages } from '../../features/people/person-pages.js';
import { formatCount } from '../../shared/format/numbers.js';
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
  const [edited, setEdited] = usePersistedChoice<string>('person');
  const counted = combineQueries({ all: useQuery(peopleCountQuery({})), filters: useFilterChoices({}) });
  const person = usePeopleById([edited]);
  return (
    <Page
      title="People"
      crumbs={[{ label: 'People' }]}
      facts={[counted.data === undefined ? null : formatCount(counted.data.all, 'person', 'people')]}
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
      <Loaded query={counted} height={480}>
        {({ all }) => (
          <>
            <Tabs<MemberView>
              label="View"
              current={view}
              onChange={(next) => navigate({ search: { ...filter, view: next === 'list' ? undefined : next } })}
              tabs={[
                { key: 'list', label: 'List', count: all },
                { key: 'tree', label: 'Managers' },
              ]}
            />
            {view === 'tree' ? (
              <Tree onEdit={setEdited} />
            ) : all === 0 ? (
              <EmptyState title="No people yet">Import a file, connect a CRM, or add people one by one.</EmptyState>
            ) : (
              <MemberList
                filter={filter}
                onFilter={(next) => navigate({ search: next, replace: true })}
                onEdit={setEdited}
              />
            )}
          </>
        )}
      </Loaded>
      {edited === null ? null : (
        <Loaded query={person} height={0}>
          {(found) => <PersonDialog person={found.get(edited) ?? null} onClose={() => setEdited(null)} />}
        </Loaded>
      )}
    </Page>
  );
}

interface MembersProps {
  readonly onEdit: (personId: string) => void;
}

interface MemberListProps extends MembersProps {
  readonly filter: PersonFilter;
  readonly onFilter: (filter: PersonFilter) => void;
}

function MemberList({ filter, onFilter, onEdit }: MemberListProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Person>>(new Map());
  const [isChanging, setChanging] = useState(false);
  const { repId } = useSession();
  const active = { active: 'true', inactive: 'false' } as const;
  const wanted = { ...usePeopleQuery(filter), ...(filter.state === undefined ? {} : { active: active[filter.state] }) };
  const list = usePersonPages(wanted);
  const together = useTogether({
    list,
    managers: usePeopleById((list.data?.reps ?? []).map(({ managerId }) => managerId)),
  });
  const { data: fields = [] } = useQuery(personFieldsQuery);
  const invite = useInvite(() => setChosen(new Map()));
  return (
    <>
      <ListedPeople of={{}} filter={filter} visible={list.data?.count} onFilter={onFilter} hasInactive />
      <Loaded query={together} height={480}>
        {({ list: { reps }, managers }) => (
          <DataTable
            caption="People"
            columns={buildColumns(
              (id) => managers.get(id ?? '')?.name,
              { visible: reps, chosen, onChosen: setChosen },
              onEdit,
              repId,
              fields,
            )}
            rows={reps}
            rowKey={({ id }) => id}
            selectedKeys={new Set(chosen.keys())}
            rowHeight={50}
            isSorted
          />
        )}
      </Loaded>
      <PeoplePager list={list} />
      {chosen.size === 0 ? null : (
        <div className={`${blocks.saveLine} ${blocks.chosen}`}>
          <span className="dim">{formatCount(chosen.size, 'person', 'people')} selected</span>
          <WholeList filter={wanted} list={list} chosen={chosen} onChosen={setChosen} />
          <Button onClick={() => setChosen(new Map())}>Clear</Button>
          <Button icon={IconPencil} onClick={() => setChanging(true)}>
            Change
          </Button>
          <Button icon={IconMail} kind="primary" isBusy={invite.isBusy} onClick={() => invite.send([...chosen.keys()])}>
            Invite {formatCount(chosen.size, 'person', 'people')}
          </Button>
        </div>
      )}
      {isChanging ? (
        <Suspense>
          <ChangePeopleDialog
            chosen={[...chosen.values()]}
            onClose={() => setChanging(false)}
            onDone={() => {
              setChanging(false);
              setChosen(new Map());
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** The selection with the people, or without them. */
function withPeople(
  chosen: ReadonlyMap<string, Person>,
  people: readonly Person[],
  isChosen: boolean,
): ReadonlyMap<string, Person> {
  const next = new Map(chosen);
  for (const person of people) {
    if (isChosen) next.set(person.id, person);
    else next.delete(person.id);
  }
  return next;
}

interface WholeListProps {
  readonly filter: PeopleFilter;
  readonly list: ReturnType<typeof usePersonPages>;
  readonly chosen: ReadonlyMap<string, Person>;
  readonly onChosen: (chosen: ReadonlyMap<string, Person>) => void;
}

/** Selects everyone who matches, also on other pages, if they are not too many for one change. */
function WholeList({ filter, list: { data, pageSize }, chosen, onChosen }: WholeListProps) {
  const load = useMutation({
    mutationFn: () => loadPeopleToChange(filter),
    onSuccess: (people) => onChosen(withPeople(chosen, people, true)),
    onError: showProblem,
  });
  if (data === undefined || data.count <= pageSize || chosen.size >= data.count) return null;
  if (data.count > maxChangedPeople)
    return (
      <span className="dim">At most {formatCount(maxChangedPeople, 'person', 'people')} can be changed at once</span>
    );
  return (
    <Button isBusy={load.isPending} onClick={() => load.mutate()}>
      Select everyone who matches, {formatCount(data.count, 'person', 'people')}
    </Button>
  );
}

interface Choosing {
  readonly visible: readonly Person[];
  readonly chosen: ReadonlyMap<string, Person>;
  readonly onChosen: (chosen: ReadonlyMap<string, Person>) => void;
}

/** The boxes of the rows, and of all rows of the page. */
function chooseColumn({ visible, chosen, onChosen }: Choosing): Column<Person> {
  const all = visible.length > 0 && visible.every(({ id }) => chosen.has(id));
  return {
    key: 'choose',
    header: (
      <Check
        label="Everyone"
        checked={all}
        isPartial={!all && chosen.size > 0}
        onChange={() => onChosen(withPeople(chosen, visible, !all))}
      />
    ),
    width: '40px',
    phone: 'lead',
    cell: (person) => (
      <Check
        label={person.name}
        checked={chosen.has(person.id)}
        onChange={() => onChosen(withPeople(chosen, [person], !chosen.has(person.id)))}
      />
    ),
  };
}

function buildColumns(
  nameOf: (id: string | null) => string | undefined,
  { visible, chosen, onChosen }: Choosing,
  onEdit: (personId: string) => void,
  ownId: string,
  fields: readonly PersonField[],
): readonly Column<Person>[] {
  return [
    chooseColumn({ visible, chosen, onChosen }),
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
      sortBy: ({ managerId }) => nameOf(managerId) ?? null,
      cell: ({ managerId }) => nameOf(managerId) ?? <span className="dim">–</span>,
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
      key: 'crmMemberId',
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
function Tree({ onEdit }: MembersProps) {
  const list = useQuery(peopleQuery());
  if (list.data !== undefined && list.data.count > peopleOnPage) return <Managers />;
  return (
    <Loaded query={list} height={480}>
      {({ reps }) => <Branches people={reps} onEdit={onEdit} />}
    </Loaded>
  );
}

/** The managers of a workspace whose tree is too long for one page, each with the list of who reports to them. */
function Managers() {
  const choices = useQuery(personChoicesQuery({}));
  return (
    <Loaded query={choices} height={480}>
      {({ managers }) => (
        <div className={styles.tree}>
          <ul>
            {managers.map(({ id, name }) => (
              <li key={id}>
                <Link to="/members" search={{ manager: id }}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  );
}

function Branches({ people, onEdit }: MembersProps & { readonly people: readonly Person[] }) {
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
