import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { api, ReadableError } from '../../api/client.js';
import { assignmentEffectQuery, newAssignmentsEffectQuery, rampsQuery } from '../../api/people-queries.js';
import { type Plan } from '../../api/queries.js';
import { type Assignment } from '../../api/set-up-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextField } from '../../components/Field.js';
import { isEnteredRange } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';

/** Takes a change back. */
export type Undo = () => Promise<unknown>;

export interface AssignTarget {
  readonly repIds: readonly string[];
  /** Null while it has to be chosen. */
  readonly plan: Plan | null;
  /** The assignment to change; null for a new one. */
  readonly assignment: Assignment | null;
}

/** The name under which the dialog is kept: the assignment, or the plan and the people. */
export function nameOf({ repIds, plan, assignment }: AssignTarget): string {
  return assignment?.assignmentId ?? `${plan?.planId ?? ''}:${repIds.join(',')}`;
}

/** What the dialog of the name is about; null if its plan or its assignment no longer exists. */
export function toTarget(
  name: string,
  plans: readonly Plan[],
  assignments: readonly Assignment[],
): AssignTarget | null {
  const assignment = assignments.find(({ assignmentId }) => assignmentId === name) ?? null;
  const [planId, repIds = ''] = name.split(':');
  const plan = plans.find((plan) => plan.planId === (assignment?.planId ?? planId)) ?? null;
  if (plan === null && planId !== '') return null;
  return { plan, assignment, repIds: assignment === null ? repIds.split(',') : [assignment.repId] };
}

interface AssignDialogProps {
  readonly target: AssignTarget;
  readonly plans: readonly Plan[];
  readonly onClose: () => void;
  readonly onDone: (undo: Undo) => void;
}

interface Entered {
  readonly planId: string;
  readonly start: string;
  readonly end: string;
  readonly rampId: string;
  readonly rampFrom: string;
}

/** Days of people on a plan, and the ramp of their quotas. */
export function AssignDialog({ target, plans, onClose, onDone }: AssignDialogProps) {
  const { repIds, plan, assignment } = target;
  const [before] = useState(() => ({
    planId: plan?.planId ?? '',
    start: assignment?.effectiveStart ?? '',
    end: assignment?.effectiveEnd ?? '',
    rampId: assignment?.rampId ?? '',
    rampFrom: assignment?.rampFrom ?? '',
  }));
  const form = usePersistedForm<Entered>(`assign ${nameOf(target)}`, before);
  const { planId } = form.values;
  const terms = toTerms(form.values);
  const done = (undo: Undo) => {
    showMessage('The assignments were changed.');
    form.clear();
    onDone(undo);
  };
  const save = useChange({
    send: () => (assignment === null ? create(repIds, planId, terms) : change(assignment, terms)),
    onDone: done,
  });
  return (
    <Dialog
      title={
        assignment === null
          ? `Assign ${formatCount(repIds.length, 'person', 'people')}`
          : `${assignment.repName} on ${plan?.name}`
      }
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      canSendUnchanged={assignment === null && plan !== null}
      action={{
        disabled: planId === '',
        children: assignment === null ? 'Assign' : 'Save',
      }}
    >
      {assignment === null ? (
        <Choice
          label="Plan"
          choices={[
            ...(plan === null ? [['', 'Choose a plan'] as const] : []),
            ...plans.map(({ planId, name }) => [planId, name] as const),
          ]}
          {...form.field('planId')}
        />
      ) : null}
      <TextField
        label="First day"
        type="date"
        hint="Empty: no limit besides the plan's dates."
        {...form.field('start')}
      />
      <TextField label="Last day" type="date" hint="Empty: no limit besides the plan's dates." {...form.field('end')} />
      <RampFields form={form} />
      <p className="dim">Commission of the days is calculated, also for deals that are won already.</p>
      {assignment !== null && form.isChanged && isComplete(terms) ? (
        <AssignmentEffect assignmentId={assignment.assignmentId} terms={terms} />
      ) : null}
      {assignment === null && planId !== '' && isComplete(terms) ? (
        <NewAssignmentsEffect terms={{ repIds: [...repIds], planId, ...terms }} />
      ) : null}
      {assignment === null ? null : (
        <div>
          <ConfirmButton confirm="Yes, remove" send={() => remove(assignment)} onDone={done}>
            Remove from the plan
          </ConfirmButton>
        </div>
      )}
    </Dialog>
  );
}

interface AssignmentEffectProps {
  readonly assignmentId: string;
  readonly terms: Terms;
}

function AssignmentEffect({ assignmentId, terms }: AssignmentEffectProps) {
  return <EffectOfChange query={useQuery(assignmentEffectQuery(assignmentId, terms))} what="change" />;
}

interface NewAssignmentsEffectProps {
  readonly terms: Parameters<typeof newAssignmentsEffectQuery>[0];
}

/** What new assignments would do. */
export function NewAssignmentsEffect({ terms }: NewAssignmentsEffectProps) {
  return <EffectOfChange query={useQuery(newAssignmentsEffectQuery(terms))} what="assignment" />;
}

/** The ramp and its first day; nothing while the workspace has no ramps. */
function RampFields({ form }: { readonly form: PersistedForm<Entered> }) {
  const { data: ramps = [] } = useQuery(rampsQuery);
  if (ramps.length === 0) return null;
  return (
    <>
      <Choice
        label="Ramp"
        choices={[['', 'none'], ...ramps.map(({ rampId, name }) => [rampId, name] as const)]}
        hint={
          <>
            Its steps are under <Link to="/ramps">Ramps</Link>
          </>
        }
        {...form.field('rampId')}
      />
      {form.values.rampId === '' ? null : (
        <TextField
          label="First day of the ramp"
          type="date"
          hint="Empty: the first day on the plan, otherwise the first day of employment."
          {...form.field('rampFrom')}
        />
      )}
    </>
  );
}

interface Terms {
  readonly effectiveStart: string | null;
  readonly effectiveEnd: string | null;
  readonly rampId: string | null;
  readonly rampFrom: string | null;
}

function toTerms({ start, end, rampId, rampFrom }: Omit<Entered, 'planId'>): Terms {
  return {
    effectiveStart: start || null,
    effectiveEnd: end || null,
    rampId: rampId || null,
    rampFrom: rampId === '' ? null : rampFrom || null,
  };
}

/** Whether no day is still being entered. */
function isComplete({ effectiveStart, effectiveEnd, rampFrom }: Terms): boolean {
  return isEnteredRange(effectiveStart, effectiveEnd) && isEnteredRange(rampFrom, null);
}

function storedTerms({ effectiveStart, effectiveEnd, rampId, rampFrom }: Assignment): Terms {
  return { effectiveStart, effectiveEnd, rampId: rampId ?? null, rampFrom: rampFrom ?? null };
}

const maxNamed = 20;

/** Who is on the plan already, by name. */
async function describeOverlap(error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || error.code !== 'assignment_overlap') throw error;
  const ids = (error.details?.['repIds'] ?? []) as readonly string[];
  const { reps } = await api.listReps({ query: { ids: ids.slice(0, maxNamed).join(',') } });
  const names = [
    ...reps.map(({ name }) => name),
    ...(ids.length > maxNamed ? [formatCount(ids.length - maxNamed, 'other')] : []),
  ];
  throw new ReadableError(`Already on this plan on some of these days: ${names.join(', ')}. Nothing was changed.`);
}

async function create(repIds: readonly string[], planId: string, terms: Terms): Promise<Undo> {
  const created = await api
    .createAssignments({ body: { repIds: [...repIds], planId, ...terms } })
    .catch(describeOverlap);
  return async () => {
    for (const { assignmentId } of created) await api.deleteAssignment({ params: { assignmentId } });
  };
}

async function change(assignment: Assignment, terms: Terms): Promise<Undo> {
  const params = { assignmentId: assignment.assignmentId };
  await api.updateAssignment({ params, body: terms });
  return () => api.updateAssignment({ params, body: storedTerms(assignment) });
}

async function remove(assignment: Assignment): Promise<Undo> {
  const { assignmentId, repId, planId } = assignment;
  await api.deleteAssignment({ params: { assignmentId } });
  return () => api.createAssignments({ body: { repIds: [repId], planId, ...storedTerms(assignment) } });
}
