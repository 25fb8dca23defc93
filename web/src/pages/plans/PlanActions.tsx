import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { describeError } from '../../components/States.js';

type Action = 'rename' | 'archive' | 'restore' | 'remove';

const words = {
  rename: { title: 'Rename', submit: 'Rename', effect: 'Quotas, assignments and history stay.' },
  archive: {
    title: 'Archive',
    submit: 'Archive',
    effect: 'Nothing new is earned under the plan. What was earned stays, and the plan can be made active again.',
  },
  restore: { title: 'Make active', submit: 'Make active', effect: 'The plan pays again on the days of its versions.' },
  remove: {
    title: 'Delete',
    submit: 'Delete permanently',
    effect:
      'The plan is removed with all versions. This cannot be undone. A plan with assignments or commission cannot be deleted; archive it instead.',
  },
} as const;

/** What can be done with a plan as a whole. */
export function PlanActions({ plan }: { readonly plan: Plan }) {
  const [action, setAction] = useState<Action | null>(null);
  return (
    <>
      <Menu position="bottom-end" width={208}>
        <Menu.Target>
          <Button icon={IconDots}>More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAction('rename')}>Rename</Menu.Item>
          {plan.planStatus === 'active' ? (
            <Menu.Item onClick={() => setAction('archive')}>Archive</Menu.Item>
          ) : plan.planStatus === 'archived' ? (
            <Menu.Item onClick={() => setAction('restore')}>Make active</Menu.Item>
          ) : null}
          <Menu.Item onClick={() => setAction('remove')}>Delete</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {action === null ? null : <ActionDialog plan={plan} action={action} onClose={() => setAction(null)} />}
    </>
  );
}

interface ActionDialogProps {
  readonly plan: Plan;
  readonly action: Action;
  readonly onClose: () => void;
}

function ActionDialog({ plan, action, onClose }: ActionDialogProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(action === 'rename' ? plan.name : '');
  const change = useMutation({
    mutationFn: () => send(plan, action, name.trim()),
    onSuccess: async () => {
      if (action === 'remove') await navigate({ to: '/plans' });
      await queryClient.invalidateQueries();
      showMessage(action === 'remove' ? `${plan.name} was deleted.` : 'The plan was changed.');
      onClose();
    },
  });
  const { title, submit, effect } = words[action];
  const isTyped = action !== 'remove' || name.trim() === plan.name;
  return (
    <Dialog
      title={`${title}: ${plan.name}`}
      onClose={onClose}
      onSubmit={() => change.mutate()}
      action={{
        kind: action === 'remove' || action === 'archive' ? 'danger' : 'primary',
        isBusy: change.isPending,
        disabled: !isTyped || (action === 'rename' && name.trim() === ''),
        children: submit,
      }}
      problem={change.error === null ? null : describeError(change.error).message}
    >
      <p className="dim">{effect}</p>
      {action === 'rename' || action === 'remove' ? (
        <TextField
          label={action === 'rename' ? 'New name' : `Type ${plan.name} to confirm`}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      ) : null}
    </Dialog>
  );
}

async function send({ planId, planStatus }: Plan, action: Action, name: string): Promise<unknown> {
  if (action === 'rename') return api.updatePlan({ params: { planRef: planId }, body: { name } });
  if (action === 'remove') return api.deletePlan({ params: { planId } });
  return api.setPlanStatus({
    params: { planRef: planId },
    body: { status: action === 'archive' && planStatus === 'active' ? 'archived' : 'active' },
  });
}
