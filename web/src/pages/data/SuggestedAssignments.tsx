import { IconUserPlus, IconX } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { usePersonNames } from '../../api/people-by-id.js';
import { type Plan } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { roleNames } from '../../app/navigation.js';
import blocks from '../../components/Blocks.module.css';
import { Button, IconButton } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { Note } from '../../components/Note.js';
import { type PersonField, personFieldsQuery, readFieldFilter } from '../../features/people/person-fields.js';
import { type PersonFilter } from '../../features/people/person-filter.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { NewAssignmentsEffect } from './AssignDialog.js';

type Suggested = Answer<'listAssignmentFilters'>['filters'][number];
type StoredFilter = Omit<Suggested, 'planName' | 'people'>;

const assignmentFiltersQuery = queryOptions({
  queryKey: ['assignment-filters'],
  queryFn: async ({ signal }) => (await api.listAssignmentFilters({}, { signal })).filters,
});

/** Who is meant to be on a plan by a filter: those who are not assigned, to assign them after a preview. */
export function SuggestedAssignments() {
  const { data: filters = [] } = useQuery(assignmentFiltersQuery);
  const { data: fields = [] } = useQuery(personFieldsQuery);
  const nameOf = usePersonNames(filters.map(({ filter }) => filter.managerId));
  const [assigned, setAssigned] = useState<Suggested | null>(null);
  const remove = useAction({
    send: (filter: Suggested) => saveFilters(filters.filter((other) => other !== filter).map(toStored)),
    onDone: () => showMessage('The filter was removed.'),
  });
  const suggestions = filters.map((filter) => {
    const { planId, planName, people } = filter;
    const words = inWords(filter, fields, nameOf);
    const button = (
      <IconButton
        icon={IconX}
        label={`Remove the filter of ${planName}: ${words}`}
        onClick={() => remove.send(filter)}
      />
    );
    if (people.length === 0)
      return (
        <p key={`${planId} ${words}`} className={blocks.actions}>
          <span className="dim">
            Everyone who matches {words} is on {planName}.
          </span>
          {button}
        </p>
      );
    return (
      <Note
        key={`${planId} ${words}`}
        tone="info"
        icon={IconUserPlus}
        title={`${formatCount(people.length, 'person matches', 'people match')} the filter of ${planName} and ${people.length === 1 ? 'is' : 'are'} not assigned`}
        actions={
          <>
            <Button kind="primary" onClick={() => setAssigned(filter)}>
              Assign {formatCount(people.length, 'person', 'people')}
            </Button>
            {button}
          </>
        }
      >
        {`${words}: ${namesOf(people)}`}
      </Note>
    );
  });
  return (
    <>
      {suggestions}
      {assigned === null ? null : <AssignSuggestedDialog filter={assigned} onClose={() => setAssigned(null)} />}
    </>
  );
}

interface AssignSuggestedProps {
  readonly filter: Suggested;
  readonly onClose: () => void;
}

/** What the assignment of everyone who matches would do, before it is stored. */
function AssignSuggestedDialog({
  filter: { people, planId, planName, effectiveStart },
  onClose,
}: AssignSuggestedProps) {
  const terms = { repIds: people.map(({ repId }) => repId), planId, effectiveStart };
  const count = formatCount(people.length, 'person', 'people');
  const assign = useChange({
    send: () => api.createAssignments({ body: terms }),
    onDone: () => {
      showMessage(`${count} assigned.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Assign ${count} to ${planName}`}
      onClose={onClose}
      onSubmit={() => assign.send()}
      change={assign}
      action={{ children: 'Assign' }}
    >
      <p>{namesOf(people)}</p>
      <p>{effectiveStart === null ? 'On all days of the plan.' : `From ${formatDay(effectiveStart, 'long')} on.`}</p>
      <NewAssignmentsEffect terms={terms} />
    </Dialog>
  );
}

interface KeepFilterProps {
  readonly filter: PersonFilter;
  readonly plans: readonly Plan[];
  /** How many people match the filter now. */
  readonly count: number;
  readonly onClose: () => void;
}

/** Keeps the filter of the page for a plan, so that people who join later are suggested for it. */
export function KeepFilterDialog({ filter, plans, count, onClose }: KeepFilterProps) {
  const { data: known = [] } = useQuery(assignmentFiltersQuery);
  const [planId, setPlanId] = useState(plans[0]?.planId ?? '');
  const [start, setStart] = useState('');
  const save = useChange({
    send: () =>
      saveFilters([...known.map(toStored), { planId, filter: toFilter(filter), effectiveStart: start || null }]),
    onDone: onClose,
  });
  return (
    <Dialog
      title="Keep the filter for a plan"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      action={{ disabled: planId === '', children: 'Keep filter' }}
    >
      <p>
        {formatCount(count, 'person matches', 'people match')} now. People who match later are suggested on this page.
        No one is assigned without a press.
      </p>
      <Choice
        label="Plan"
        value={planId}
        choices={plans.map((plan) => [plan.planId, plan.name] as const)}
        onChange={({ currentTarget }) => setPlanId(currentTarget.value)}
      />
      <TextField
        label="First day on the plan"
        type="date"
        hint="Empty: on all days"
        value={start}
        onChange={({ currentTarget }) => setStart(currentTarget.value)}
      />
    </Dialog>
  );
}

/** Whether the filter has values that a plan can keep: words and the state of people are left out. */
export function isKeepable(filter: PersonFilter): boolean {
  return Object.keys(toFilter(filter)).length > 0;
}

function toFilter({ team, title, location, manager, role, fields }: PersonFilter): StoredFilter['filter'] {
  const values = readFieldFilter(fields);
  return {
    ...(title === undefined ? {} : { title }),
    ...(team === undefined ? {} : { team }),
    ...(location === undefined ? {} : { location }),
    ...(manager === undefined ? {} : { managerId: manager }),
    ...(role === undefined ? {} : { role }),
    ...(Object.keys(values).length === 0 ? {} : { fields: { ...values } }),
  };
}

/** More people are not named. */
const maxNamed = 50;

function namesOf(people: Suggested['people']): string {
  const others = people.length - maxNamed;
  const names = people.slice(0, maxNamed).map(({ name }) => name);
  return [...names, ...(others > 0 ? [formatCount(others, 'other')] : [])].join(', ');
}

function toStored({ planId, filter, effectiveStart }: Suggested): StoredFilter {
  return { planId, filter, effectiveStart };
}

function saveFilters(filters: readonly StoredFilter[]) {
  return api.setAssignmentFilters({ body: { filters: [...filters] } });
}

function inWords(
  { filter, effectiveStart }: Suggested,
  definitions: readonly PersonField[],
  nameOf: ReturnType<typeof usePersonNames>,
): string {
  const { title, team, location, managerId, role, fields = {} } = filter;
  const manager = nameOf(managerId ?? null);
  const labels = new Map(definitions.map(({ slug, label }) => [slug, label]));
  const parts = [
    title,
    team === undefined ? undefined : `team ${team}`,
    location,
    manager === undefined ? undefined : `managed by ${manager}`,
    role === undefined ? undefined : `role ${roleNames[role]}`,
    ...Object.entries(fields).map(([slug, value]) => `${labels.get(slug) ?? slug} ${value}`),
    effectiveStart === null ? undefined : `from ${formatDay(effectiveStart, 'year')}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
