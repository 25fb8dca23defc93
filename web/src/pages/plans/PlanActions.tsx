import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';

type Action = 'rename' | 'archive' | 'restore' | 'remove';

const words: Readonly<Record<Action, readonly [title: string, effect: string]>> = {
  rename: ['Rename', 'Quotas, assignments and history are kept.'],
  archive: ['Archive', 'The plan pays nothing new. Earned commission is kept, and you can make the plan active again.'],
  restore: ['Make active', 'The plan pays again on the days of its versions.'],
  remove: [
    'Delete',
    'The plan is removed with all versions. This cannot be undone. A plan with assignments or commission cannot be deleted; archive it instead.',
  ],
};

/** What can be done with a plan as a whole. */
export function PlanActions({ plan }: { readonly plan: Plan }) {
  const navigate = useNavigate();
  const [chosen, setChosen] = usePersistedChoice<string>('plan-action');
  const action = findAction(chosen, plan.planId);
  const setAction = (chosen: Action | null) => setChosen(chosen === null ? null : `${chosen}:${plan.planId}`);
  return (
    <>
      <Menu position="bottom-end" width={208}>
        <Menu.Target>
          <Button icon={IconDots}>More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAction('rename')}>Rename</Menu.Item>
          <Menu.Item onClick={() => navigate({ to: '/plans/new/edit', search: { copy: plan.planId } })}>Copy</Menu.Item>
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

/** A dialog of another plan stays closed. */
function findAction(chosen: string | null, planId: string): Action | null {
  const [action, openPlanId] = chosen?.split(':') ?? [];
  return openPlanId === planId ? (action as Action) : null;
}

interface ActionDialogProps {
  readonly plan: Plan;
  readonly action: Action;
  readonly onClose: () => void;
}

function ActionDialog({ plan, action, onClose }: ActionDialogProps) {
  const navigate = useNavigate();
  const form = usePersistedForm(`plan-action ${action}:${plan.planId}`, { name: action === 'rename' ? plan.name : '' });
  const name = form.values.name.trim();
  const change = useChange({
    send: async () => {
      await send(plan, action, name);
      if (action === 'remove') await navigate({ to: '/plans' });
    },
    onDone: () => {
      showMessage(action === 'remove' ? `${plan.name} was deleted.` : 'The plan was changed.');
      form.clear();
      onClose();
    },
  });
  const [title, effect] = words[action];
  const hasName = action === 'rename' || action === 'remove';
  return (
    <Dialog
      title={`${title}: ${plan.name}`}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      {...(hasName ? { form } : {})}
      action={{
        kind: action === 'remove' || action === 'archive' ? 'danger' : 'primary',
        disabled: action === 'remove' ? name !== plan.name : action === 'rename' && name === '',
        children: title,
      }}
    >
      <p className="dim">{effect}</p>
      {hasName ? (
        <TextField label={action === 'rename' ? 'New name' : `Type ${plan.name} to confirm`} {...form.field('name')} />
      ) : null}
    </Dialog>
  );
}

async function send({ planId }: Plan, action: Action, name: string): Promise<unknown> {
  if (action === 'rename') return api.updatePlan({ params: { planRef: planId }, body: { name } });
  if (action === 'remove') return api.deletePlan({ params: { planId } });
  return api.setPlanStatus({
    params: { planRef: planId },
    body: { status: action === 'archive' ? 'archived' : 'active' },
  });
}
