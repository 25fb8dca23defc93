import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { type Assignment } from '../../api/set-up-queries.js';
import { useKeptForm } from '../../app/kept-state.js';
import { showMessage } from '../../app/messages.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { formatCount } from '../../shared/format/numbers.js';

/** Takes a change back. */
export type Undo = () => Promise<unknown>;

export interface AssignTarget {
  readonly repIds: readonly string[];
  readonly plan: Plan;
  /** The assignment to change; null for a new one. */
  readonly assignment: Assignment | null;
}

/** The name under which the dialog is kept: the assignment, or the plan and the people. */
export function nameOf({ repIds, plan, assignment }: AssignTarget): string {
  return assignment?.assignmentId ?? `${plan.planId}:${repIds.join(',')}`;
}

/** What the dialog of the name is about; null if its plan or its assignment no longer exists. */
export function toTarget(
  name: string,
  plans: readonly Plan[],
  assignments: readonly Assignment[],
): AssignTarget | null {
  const assignment = assignments.find(({ assignmentId }) => assignmentId === name) ?? null;
  const [planId, repIds = ''] = name.split(':');
  const plan = plans.find((plan) => plan.planId === (assignment?.planId ?? planId));
  if (plan === undefined) return null;
  return { plan, assignment, repIds: assignment === null ? repIds.split(',') : [assignment.repId] };
}

interface AssignDialogProps {
  readonly target: AssignTarget;
  readonly plans: readonly Plan[];
  readonly onClose: () => void;
  readonly onDone: (undo: Undo) => void;
}

/** Days of people on a plan. */
export function AssignDialog({ target, plans, onClose, onDone }: AssignDialogProps) {
  const { repIds, plan, assignment } = target;
  const [before] = useState(() => ({
    planId: plan.planId,
    start: assignment?.effectiveStart ?? '',
    end: assignment?.effectiveEnd ?? '',
  }));
  const form = useKeptForm(`assign ${nameOf(target)}`, before);
  const { planId, start, end } = form.values;
  const days = { effectiveStart: start || null, effectiveEnd: end || null };
  const done = (undo: Undo) => {
    showMessage('The assignments were changed.');
    form.clear();
    onDone(undo);
  };
  const save = useChange({
    send: () => (assignment === null ? create(repIds, planId, days) : move(assignment, days)),
    onDone: done,
  });
  return (
    <Dialog
      title={
        assignment === null
          ? `Assign ${formatCount(repIds.length, 'person', 'people')}`
          : `${assignment.repName} on ${plan.name}`
      }
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        disabled: assignment !== null && !form.isChanged,
        children: assignment === null ? 'Assign' : 'Save days',
      }}
    >
      {assignment === null ? (
        <Choice
          label="Plan"
          choices={plans.map((plan) => [plan.planId, plan.name] as const)}
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
      <p className="dim">Commission of the days is calculated, also for deals that are won already.</p>
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

interface Days {
  readonly effectiveStart: string | null;
  readonly effectiveEnd: string | null;
}

async function create(repIds: readonly string[], planId: string, days: Days): Promise<Undo> {
  const created = await api.createAssignments({ body: { repIds: [...repIds], planId, ...days } });
  return async () => {
    for (const { assignmentId } of created) await api.deleteAssignment({ params: { assignmentId } });
  };
}

async function move({ assignmentId, effectiveStart, effectiveEnd }: Assignment, days: Days): Promise<Undo> {
  await api.updateAssignment({ params: { assignmentId }, body: days });
  return () => api.updateAssignment({ params: { assignmentId }, body: { effectiveStart, effectiveEnd } });
}

async function remove({ assignmentId, repId, planId, effectiveStart, effectiveEnd }: Assignment): Promise<Undo> {
  await api.deleteAssignment({ params: { assignmentId } });
  return () => api.createAssignments({ body: { repIds: [repId], planId, effectiveStart, effectiveEnd } });
}
