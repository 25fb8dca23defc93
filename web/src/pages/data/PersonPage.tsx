import { IconDoorExit, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { overlap } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { balancesQuery } from '../../api/payout-queries.js';
import { usePeopleById } from '../../api/people-by-id.js';
import {
  type Absence,
  absencesQuery,
  employmentEffectQuery,
  type PersonDetails,
  personQuery,
  quotasOfPersonQuery,
  type Ramp,
  rampsQuery,
} from '../../api/people-queries.js';
import { type Plan } from '../../api/queries.js';
import { type Assignment, assignmentsOfPersonQuery, type Quota } from '../../api/set-up-queries.js';
import { showMessage } from '../../app/messages.js';
import { roleNames } from '../../app/navigation.js';
import { usePersistedChoice, usePersistedDialog, usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { Button, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { TextField } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { rowAction } from '../../components/row-keys.js';
import { useTogether } from '../../components/together.js';
import { DrawsOfPerson } from '../../features/draws/DrawsOfPerson.js';
import { CompanyOfPerson } from '../../features/finance/CompanyOfPerson.js';
import { BalanceOfPerson } from '../../features/payables/BalanceOfPerson.js';
import { PersonalData } from '../../features/people/PersonalData.js';
import { personFieldsQuery } from '../../features/people/person-fields.js';
import { WorkingTimeline } from '../../features/people/WorkingTimeline.js';
import { drawTimeline, isProrated, listReasons } from '../../features/people/working-time.js';
import { formatDay, formatDays, isEnteredRange } from '../../shared/format/dates.js';
import { formatAttainment, formatNumber, formatUnits } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod } from '../../shared/format/periods.js';
import { AbsenceDialog } from './AbsenceDialog.js';
import { AssignDialog, toTarget } from './AssignDialog.js';
import { ManagerOfPerson } from './ManagerOfPerson.js';
import { PayOfPerson } from './PayOfPerson.js';
import styles from './Person.module.css';
import { ProfileOfPerson } from './ProfileOfPerson.js';

const route = getRouteApi('/_shell/members/$repId');

const LeaveDialog = lazy(() =>
  import('../../features/people/LeaveDialog.js').then((module) => ({ default: module.LeaveDialog })),
);

/** When a person works, and what that leaves of the quotas. */
export function PersonPage() {
  const { repId } = route.useParams();
  const today = useToday();
  const { year = today.slice(0, 4) } = route.useSearch();
  const isOwn = useSession().repId === repId;
  const navigate = useNavigate({ from: '/members/$repId' });
  const query = combineQueries({
    person: useQuery(personQuery(repId)),
    absences: useQuery(absencesQuery(repId)),
    ramps: useQuery(rampsQuery),
    plans: useQuery(allPlansQuery),
    assignments: useQuery(assignmentsOfPersonQuery(repId)),
    quotas: useQuery(quotasOfPersonQuery(repId)),
    // Cards that load these after the others would move what is below them.
    fields: useQuery(personFieldsQuery),
    balances: useQuery(balancesQuery(repId)),
  });
  const person = query.data?.person;
  const managers = usePeopleById([person?.managerId, person?.nextManager?.managerId]);
  return (
    <Page
      title={person?.name ?? 'Person'}
      crumbs={[{ label: 'People', to: '/members' }, { label: person?.name ?? 'Person' }]}
      facts={[
        person === undefined ? null : roleNames[person.role],
        person?.email,
        person?.endDate == null ? null : `until ${formatDay(person.endDate, 'year')}`,
      ]}
      actions={
        <>
          <PersonalData repId={repId} />
          {isOwn ? null : <Leave repId={repId} person={person} assignments={query.data?.assignments ?? []} />}
          <PeriodPicker period={year} lengths={[12]} onChange={(period) => navigate({ search: { year: period } })} />
        </>
      }
    >
      <Loaded query={useTogether({ query, managers }, repId)} height={640}>
        {({ query: { assignments, ...facts } }) => (
          <WorkingTime {...facts} assignments={assignments} year={Number(year)} />
        )}
      </Loaded>
    </Page>
  );
}

interface LeaveProps {
  readonly repId: string;
  /** Undefined while the page loads: a button that appeared then would move the others. */
  readonly person: PersonDetails | undefined;
  readonly assignments: readonly Assignment[];
}

/** One task for everything that ends with the employment. */
function Leave({ repId, person, assignments }: LeaveProps) {
  const [isOpen, setOpen] = usePersistedDialog(`leave ${repId}`);
  return (
    <>
      <Button icon={IconDoorExit} disabled={person === undefined} onClick={() => setOpen(true)}>
        Leaves on …
      </Button>
      <Suspense>
        {isOpen && person !== undefined ? (
          <LeaveDialog person={person} assignments={assignments} onClose={() => setOpen(false)} />
        ) : null}
      </Suspense>
    </>
  );
}

interface WorkingTimeProps {
  readonly person: PersonDetails;
  readonly absences: readonly Absence[];
  readonly ramps: readonly Ramp[];
  readonly plans: readonly Plan[];
  readonly assignments: readonly Assignment[];
  readonly quotas: readonly Quota[];
  readonly year: number;
}

function WorkingTime({ plans, quotas, year, ...facts }: WorkingTimeProps) {
  const { person, absences, ramps, assignments } = facts;
  const ofYear = quotas.filter(({ period }) => touches(period, year));
  return (
    <>
      <Card title="Timeline">
        <WorkingTimeline name={person.name} year={year} rows={drawTimeline({ ...facts, quotas: ofYear }, year)} />
      </Card>
      <Card title={`Targets of ${year}`} isFlush={ofYear.length > 0}>
        {ofYear.length === 0 ? (
          <p className="dim">
            {person.name} has no quota in {year}. <Link to="/quotas">Set quotas</Link>
          </p>
        ) : (
          <DataTable
            caption={`Targets of ${year}`}
            columns={targetColumns}
            rows={ofYear}
            rowKey={({ quotaId }) => quotaId}
            isInset
          />
        )}
      </Card>
      <Absences repId={person.id} absences={absences} />
      <ProfileOfPerson person={person} />
      <ManagerOfPerson person={person} />
      <PayOfPerson person={person} />
      <BalanceOfPerson repId={person.id} />
      <DrawsOfPerson repId={person.id} />
      <Assignments assignments={assignments} plans={plans} ramps={ramps} />
      <Employment person={person} />
      <CompanyOfPerson person={person} />
    </>
  );
}

function touches(period: string, year: number): boolean {
  return overlap(daysOf(period), { from: `${year}-01-01`, to: `${year}-12-31` });
}

interface AbsencesProps {
  readonly repId: string;
  readonly absences: readonly Absence[];
}

function Absences({ repId, absences }: AbsencesProps) {
  const [opened, open] = usePersistedChoice<string>(`absence ${repId}`);
  return (
    <Card
      title="Absences"
      isFlush={absences.length > 0}
      action={
        <Button icon={IconPlus} onClick={() => open('new')}>
          Add absence
        </Button>
      }
    >
      {absences.length === 0 ? (
        <p className="dim">No absence. Days of leave lower the target of rules that prorate quotas.</p>
      ) : (
        <DataTable
          caption="Absences"
          columns={absenceColumns(open)}
          rows={absences}
          rowKey={({ absenceId }) => absenceId}
          isInset
        />
      )}
      {opened === null ? null : (
        <AbsenceDialog
          repId={repId}
          absence={absences.find(({ absenceId }) => absenceId === opened) ?? null}
          onClose={() => open(null)}
        />
      )}
    </Card>
  );
}

interface AssignmentsProps {
  readonly assignments: readonly Assignment[];
  readonly plans: readonly Plan[];
  readonly ramps: readonly Ramp[];
}

function Assignments({ assignments, plans, ramps }: AssignmentsProps) {
  const [opened, open] = usePersistedChoice<string>('assign');
  const target = opened === null ? null : toTarget(opened, plans, assignments);
  return (
    <Card title="Plans and ramps" isFlush={assignments.length > 0}>
      {assignments.length === 0 ? (
        <p className="dim">
          On no plan. <Link to="/assignments">Assign a plan</Link>
        </p>
      ) : (
        <DataTable
          caption="Plans and ramps"
          columns={assignmentColumns(ramps, open)}
          rows={assignments}
          rowKey={({ assignmentId }) => assignmentId}
          isInset
        />
      )}
      {target?.assignment == null ? null : (
        <AssignDialog target={target} plans={plans} onClose={() => open(null)} onDone={() => open(null)} />
      )}
    </Card>
  );
}

/** The first and the last day of employment: other days do not count for prorated quotas. */
function Employment({ person }: { readonly person: PersonDetails }) {
  const form = usePersistedForm(`employment ${person.id}`, {
    hireDate: person.hireDate ?? '',
    endDate: person.endDate ?? '',
  });
  const employment = { hireDate: form.values.hireDate || null, endDate: form.values.endDate || null };
  const { hireDate, endDate } = employment;
  const isComplete = isEnteredRange(hireDate, endDate);
  const save = useChange({
    send: () => api.updateRep({ params: { repId: person.id }, body: employment }),
    onDone: () => {
      form.clear();
      showMessage('The employment was saved. Commission is calculated again.');
    },
  });
  return (
    <Card title="Employment" note="Other days do not count for prorated quotas">
      <form
        className={styles.employment}
        onSubmit={(event) => {
          event.preventDefault();
          save.send();
        }}
      >
        <div className={styles.fields}>
          <TextField label="First day of employment" type="date" {...form.field('hireDate')} />
          <TextField
            label="Last day of employment"
            type="date"
            problem={save.error === null ? null : describeError(save.error).message}
            {...form.field('endDate')}
          />
        </div>
        {form.isChanged && isComplete ? <EmploymentEffect repId={person.id} employment={employment} /> : null}
        <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={!form.isChanged}>
          Save employment
        </Button>
      </form>
    </Card>
  );
}

interface EmploymentEffectProps {
  readonly repId: string;
  readonly employment: Pick<PersonDetails, 'hireDate' | 'endDate'>;
}

function EmploymentEffect({ repId, employment }: EmploymentEffectProps) {
  return <EffectOfChange query={useQuery(employmentEffectQuery(repId, employment))} what="change" />;
}

const targetColumns: readonly Column<Quota>[] = [
  {
    key: 'period',
    header: 'Period',
    phone: 'title',
    sortBy: ({ period }) => daysOf(period).from,
    cell: ({ period, measure }) => (
      <>
        {formatPeriod(period)}
        <span className="second">{measure}</span>
      </>
    ),
  },
  {
    key: 'target',
    header: 'Quota',
    align: 'right',
    cell: ({ target }) => <span className="num">{formatUnits(target)}</span>,
  },
  {
    key: 'effective',
    header: 'Target that counts',
    align: 'right',
    phone: 'amount',
    cell: ({ effectiveTarget, target }) => <span className="num strong">{formatUnits(effectiveTarget ?? target)}</span>,
  },
  {
    key: 'attainment',
    header: 'Attainment',
    align: 'right',
    cell: ({ attainment }) => (attainment === null ? <span className="dim">–</span> : formatAttainment(attainment)),
  },
  {
    key: 'reasons',
    header: 'How it was computed',
    phone: 'note',
    cell: (quota) => <Reasons quota={quota} />,
  },
];

function Reasons({ quota }: { readonly quota: Quota }) {
  if (quota.prorate === false) return <span className="dim">Fixed: working time does not change it.</span>;
  if (!isProrated(quota)) return <span className="dim">All days count.</span>;
  return (
    <>
      {quota.explanation}
      <ul className={styles.reasons}>
        {listReasons(quota).map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </>
  );
}

function absenceColumns(onOpen: (absenceId: string) => void): readonly Column<Absence>[] {
  return [
    {
      key: 'days',
      header: 'Days',
      phone: 'title',
      cell: ({ absenceId, from, to }) => (
        <RowButton onClick={() => onOpen(absenceId)} {...rowAction}>
          {formatDays({ from, to }, 'year')}
        </RowButton>
      ),
    },
    {
      key: 'relief',
      header: 'Relief of the target',
      align: 'right',
      phone: 'amount',
      cell: ({ quotaRelief }) => `${formatNumber(quotaRelief)} %`,
    },
    { key: 'note', header: 'Note', phone: 'note', cell: ({ note }) => note ?? <span className="dim">–</span> },
  ];
}

function assignmentColumns(
  ramps: readonly Ramp[],
  onOpen: (assignmentId: string) => void,
): readonly Column<Assignment>[] {
  const names = new Map(ramps.map(({ rampId, name }) => [rampId, name]));
  return [
    {
      key: 'plan',
      header: 'Plan',
      phone: 'title',
      cell: ({ assignmentId, planName }) => (
        <RowButton onClick={() => onOpen(assignmentId)} {...rowAction}>
          {planName}
        </RowButton>
      ),
    },
    {
      key: 'days',
      header: 'Days',
      phone: 'detail',
      cell: formatAssignedDays,
    },
    {
      key: 'ramp',
      header: 'Ramp',
      phone: 'note',
      cell: ({ rampId, rampFrom }) =>
        rampId === undefined ? (
          <span className="dim">none</span>
        ) : (
          `${names.get(rampId) ?? ''}${rampFrom === undefined ? '' : `, from ${formatDay(rampFrom, 'year')}`}`
        ),
    },
  ];
}

function formatAssignedDays({ effectiveStart, effectiveEnd }: Assignment): string {
  const [start, end] = [effectiveStart, effectiveEnd].map((day) => (day === null ? null : formatDay(day, 'year')));
  if (start === null) return end === null ? 'all days' : `until ${end}`;
  return end === null ? `from ${start}` : `${start} to ${end}`;
}
