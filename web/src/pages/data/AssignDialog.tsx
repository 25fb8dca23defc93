import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { type Assignment } from '../../api/set-up-queries.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { describeError } from '../../components/States.js';
import { formatCount } from '../../format/numbers.js';

export interface AssignTarget {
  readonly repIds: readonly string[];
  readonly plan: Plan;
  /** The assignment to change; null for a new one. */
  readonly assignment: Assignment | null;
}

interface AssignDialogProps {
  readonly target: AssignTarget;
  readonly plans: readonly Plan[];
  readonly onClose: () => void;
  /** Receives what takes the change back. */
  readonly onDone: (undo: () => Promise<unknown>) => void;
}

/** Days of people on a plan. */
export function AssignDialog({ target: { repIds, plan, assignment }, plans, onClose, onDone }: AssignDialogProps) {
  const queryClient = useQueryClient();
  const [planId, setPlanId] = useState(plan.planId);
  const [start, setStart] = useState(assignment?.effectiveStart ?? '');
  const [end, setEnd] = useState(assignment?.effectiveEnd ?? '');
  const days = { effectiveStart: start || null, effectiveEnd: end || null };
  const change = useMutation({
    mutationFn: (isRemoval: boolean) =>
      assignment === null ? create(repIds, planId, days) : isRemoval ? remove(assignment) : move(assignment, days),
    onSuccess: async (undo) => {
      await queryClient.invalidateQueries();
      showMessage('The assignments were changed.');
      onDone(undo);
    },
  });
  return (
    <Dialog
      title={
        assignment === null
          ? `Assign ${formatCount(repIds.length, 'person', 'people')}`
          : `${assignment.repName} on ${plan.name}`
      }
      onClose={onClose}
      onSubmit={() => change.mutate(false)}
      action={{ isBusy: change.isPending, children: assignment === null ? 'Assign' : 'Save days' }}
      problem={change.error === null ? null : describeError(change.error).message}
    >
      {assignment === null ? (
        <Choice
          label="Plan"
          value={planId}
          choices={plans.map((one) => [one.planId, one.name] as const)}
          onChange={({ currentTarget }) => setPlanId(currentTarget.value)}
        />
      ) : null}
      <TextField
        label="First day"
        type="date"
        hint="Empty: as long as the plan."
        value={start}
        onChange={({ currentTarget }) => setStart(currentTarget.value)}
      />
      <TextField
        label="Last day"
        type="date"
        hint="Empty: as long as the plan."
        value={end}
        onChange={({ currentTarget }) => setEnd(currentTarget.value)}
      />
      <p className="dim">Commission of the days is calculated, also for deals that are won already.</p>
      {assignment === null ? null : (
        <div>
          <Button kind="danger" onClick={() => change.mutate(true)}>
            Remove from the plan
          </Button>
        </div>
      )}
    </Dialog>
  );
}

type Undo = () => Promise<unknown>;

interface Days {
  readonly effectiveStart: string | null;
  readonly effectiveEnd: string | null;
}

async function create(repIds: readonly string[], planId: string, days: Days): Promise<Undo> {
  const made = await api.createAssignments({ body: { repIds: [...repIds], planId, ...days } });
  return async () => {
    for (const { assignmentId } of made) await api.deleteAssignment({ params: { assignmentId } });
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
