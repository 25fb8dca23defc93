import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { formatCount } from '../../shared/format/numbers.js';

export type Task = 'cleanup' | 'reset';

interface TaskProps {
  readonly onClose: () => void;
}

/** Deletes commission: of rules that no longer exist, or everything. */
export function HousekeepingDialog({ task, onClose }: TaskProps & { readonly task: Task }) {
  return task === 'reset' ? <Reset onClose={onClose} /> : <CleanUp onClose={onClose} />;
}

function CleanUp({ onClose }: TaskProps) {
  const run = useChange({
    send: () => api.cleanupCommissions(),
    onDone: ({ deleted }) => {
      showMessage(`${formatCount(deleted, 'line')} deleted.`);
      onClose();
    },
  });
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

function Reset({ onClose }: TaskProps) {
  const form = usePersistedForm('housekeeping reset', { scope: 'events' as 'events' | 'snapshots' | 'all', typed: '' });
  const { scope, typed } = form.values;
  const run = useChange({
    send: () => api.resetCommissions({ body: { scope } }),
    onDone: ({ events }) => {
      showMessage(`${formatCount(events, 'line')} of commission deleted.`);
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
