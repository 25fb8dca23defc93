import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useChange } from '../../api/change.js';
import { type Answer } from '../../api/client.js';
import { type Draw, drawsQuery } from '../../api/draw-queries.js';
import { fieldMappingQuery } from '../../api/import-queries.js';
import { balancesQuery } from '../../api/payout-queries.js';
import { assignmentEffectQuery, employmentEffectQuery, type PersonDetails } from '../../api/people-queries.js';
import { earningPeople, peopleCountQuery } from '../../api/person-list-queries.js';
import { type Deal } from '../../api/queries.js';
import { type Assignment } from '../../api/set-up-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { CheckField, TextField } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { formatDay, isEnteredRange } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { allDealsQuery } from '../deals/all-deals.js';
import { bulkRows } from '../deals/bulk-edit.js';
import { dealsEffectQuery } from '../deals/deal-changes.js';
import { type ChangedDeal, type StandardSlugs } from '../deals/edited-deal.js';
import { describeDraw } from '../draws/words.js';
import { type Leaving, planLeaving, sendLeaving } from './leaving.js';
import { PersonChoice } from './PersonChoice.js';

interface LeaveDialogProps {
  readonly person: PersonDetails;
  readonly assignments: readonly Assignment[];
  readonly onClose: () => void;
}

/** Everything that ends when a person leaves: employment, plans, draws, open deals and the sign-in. */
export function LeaveDialog(props: LeaveDialogProps) {
  const repId = props.person.id;
  const query = combineQueries({
    draws: useQuery(drawsQuery(repId)),
    deals: useQuery(allDealsQuery({ repId, isClosed: 'false', scores: 'false' })),
    mapping: useQuery(fieldMappingQuery),
  });
  return (
    <Loaded query={query} height={0}>
      {({ draws, deals, mapping }) => <LeaveForm {...props} draws={draws} deals={deals} standard={mapping.standard} />}
    </Loaded>
  );
}

interface LeaveFormProps extends LeaveDialogProps {
  readonly draws: readonly Draw[];
  readonly deals: readonly Deal[];
  readonly standard: StandardSlugs;
}

interface Entered {
  readonly lastDay: string;
  readonly dealsTo: string;
  readonly endsSignIn: boolean;
}

function LeaveForm({ person, assignments, draws, deals, standard, onClose }: LeaveFormProps) {
  const form = usePersistedForm<Entered>(`leave ${person.id}`, {
    lastDay: person.endDate ?? '',
    dealsTo: '',
    endsSignIn: false,
  });
  const { lastDay, dealsTo, endsSignIn } = form.values;
  const isEntered = lastDay !== '' && isEnteredRange(person.hireDate ?? null, lastDay);
  const leaving = isEntered ? planLeaving(lastDay, assignments, draws) : null;
  const moved = dealsTo === '' ? [] : bulkRows(deals, { name: 'repId', text: dealsTo }, standard, []);
  const save = useChange({
    send: async () => {
      if (leaving !== null) await sendLeaving(person, leaving, moved, endsSignIn);
    },
    onDone: () => {
      showMessage(`${person.name} leaves on ${formatDay(lastDay, 'year')}.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`${person.name} leaves`}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: leaving === null, children: 'Save' }}
    >
      <TextField label="Last day of employment" type="date" required {...form.field('lastDay')} />
      <OpenDeals form={form} person={person} count={deals.length} />
      {person.active ? (
        <CheckField
          label="End the sign-in now"
          hint="Sessions and keys of the person end, whatever the last day is. Statements are still made."
          checked={endsSignIn}
          onChange={({ currentTarget }) => form.change({ endsSignIn: currentTarget.checked })}
        />
      ) : null}
      {leaving === null ? null : <LoadedEnds person={person} leaving={leaving} />}
      {leaving === null ? null : <Effects person={person} leaving={leaving} moved={moved} />}
    </Dialog>
  );
}

interface OpenDealsProps {
  readonly form: PersistedForm<Entered>;
  readonly person: PersonDetails;
  readonly count: number;
}

function OpenDeals({ form, person, count }: OpenDealsProps) {
  if (count === 0) return <p className="dim">No open deal.</p>;
  return (
    <PersonChoice
      label={`${formatCount(count, 'open deal')} from now on`}
      of={earningPeople}
      except={[person.id]}
      first={[['', `stay with ${person.name}`]]}
      words={(name) => `go to ${name}`}
      {...form.field('dealsTo')}
    />
  );
}

interface EndsProps {
  readonly person: PersonDetails;
  readonly leaving: Leaving;
}

function LoadedEnds(props: EndsProps) {
  const { id } = props.person;
  const query = combineQueries({
    balances: useQuery(balancesQuery(id)),
    reports: useQuery(peopleCountQuery({ managerId: id })),
  });
  return (
    <Loaded query={query} height={80}>
      {(loaded) => <Ends {...props} {...loaded} />}
    </Loaded>
  );
}

interface LoadedEndsProps extends EndsProps {
  readonly balances: Answer<'listBalances'>['balances'];
  /** How many people report to the person. */
  readonly reports: number;
}

/** What the last day ends, what is still owed, and what statements will say. */
function Ends({ person, leaving: { lastDay, ended, removed, draws }, balances, reports }: LoadedEndsProps) {
  const day = formatDay(lastDay, 'year');
  const lines: readonly ReactNode[] = [
    ...ended.map(({ planName }) => `${planName} ends on ${day}. Deals that close later pay nothing.`),
    ...removed.map(({ planName }) => `${planName} begins later: the assignment is removed.`),
    ...draws.map((draw) => {
      const owed = draw.owed > 0 ? ` ${formatMoney(draw.owed, draw.currency)} of it is owed.` : '';
      return `${describeDraw(draw)} ends on ${day}.${owed}`;
    }),
    ...balances
      .filter(({ takenBack }) => takenBack !== 0)
      .map(({ currency, takenBack }) => `${formatMoney(takenBack, currency)} that was taken back is still owed.`),
    ...(reports === 0
      ? []
      : [
          `${formatCount(reports, 'person reports', 'people report')} to ${person.name}: choose their next manager on People.`,
        ]),
    `Statements after ${day} say what is still released of earlier pay, what is kept of what is owed, and what later refunds take back.`,
  ];
  return (
    <ul aria-label="What ends">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no other identity
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}

interface EffectsProps {
  readonly person: PersonDetails;
  readonly leaving: Leaving;
  readonly moved: readonly ChangedDeal[];
}

/** What the last day, the end of each plan and the new owner of the deals would do to commission, each for itself. */
function Effects({ person, leaving: { lastDay, ended }, moved }: EffectsProps) {
  const ofDeals = useQuery(dealsEffectQuery(moved));
  const employment = { hireDate: person.hireDate, endDate: lastDay };
  return (
    <>
      <p className="dim">What each change does for itself:</p>
      <h3>Last day of employment</h3>
      <EffectOfChange query={useQuery(employmentEffectQuery(person.id, employment))} what="change" />
      {ended.map((assignment) => (
        <EndOfPlan key={assignment.assignmentId} assignment={assignment} lastDay={lastDay} />
      ))}
      {moved.length === 0 ? null : (
        <>
          <h3>Another person for the deals</h3>
          <EffectOfChange query={ofDeals} what="change" />
        </>
      )}
    </>
  );
}

function EndOfPlan({ assignment, lastDay }: { readonly assignment: Assignment; readonly lastDay: string }) {
  const { assignmentId, planName } = assignment;
  const effect = useQuery(assignmentEffectQuery(assignmentId, { effectiveEnd: lastDay }));
  return (
    <>
      <h3>End of {planName}</h3>
      <EffectOfChange query={effect} what="change" />
    </>
  );
}
