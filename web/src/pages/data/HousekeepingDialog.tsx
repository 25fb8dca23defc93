import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { useKeptForm } from '../../app/kept-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';

export type Task = 'cleanup' | 'reset';

interface HousekeepingDialogProps {
  readonly task: Task;
  readonly onClose: () => void;
}

/** Deletes commission: of rules that no longer exist, or everything. */
export function HousekeepingDialog({ task, onClose }: HousekeepingDialogProps) {
  return task === 'reset' ? <Reset onClose={onClose} /> : <CleanUp onClose={onClose} />;
}

type Props = Omit<HousekeepingDialogProps, 'task'>;

function CleanUp({ onClose }: Props) {
  const run = useChange({ send: () => api.cleanupCommissions(), onDone: onClose });
  return (
    <Dialog
      title="Clean up"
      onClose={onClose}
      onSubmit={() => run.send()}
      change={run}
      action={{ kind: 'danger', children: 'Clean up' }}
    >
      <p>Lines of open periods whose rule no longer exists are deleted.</p>
    </Dialog>
  );
}

function Reset({ onClose }: Props) {
  const form = useKeptForm('housekeeping reset', { scope: 'events' as 'events' | 'snapshots' | 'all', typed: '' });
  const { scope, typed } = form.values;
  const run = useChange({
    send: () => api.resetCommissions({ body: { scope } }),
    onDone: () => {
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Reset commission"
      onClose={onClose}
      onSubmit={() => run.send()}
      change={run}
      form={form}
      action={{ kind: 'danger', disabled: typed.trim().toLowerCase() !== 'reset', children: 'Delete' }}
    >
      <Choice
        label="Delete"
        choices={[
          ['events', 'commission'],
          ['snapshots', 'commission and deals'],
          ['all', 'commission, deals, assignments and quotas'],
        ]}
        {...form.field('scope')}
      />
      <p>This cannot be undone. Approved periods stay.</p>
      <TextField label="Type reset to confirm" {...form.field('typed')} />
    </Dialog>
  );
}
