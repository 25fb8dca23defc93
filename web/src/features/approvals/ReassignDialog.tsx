import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { signingPeople } from '../../api/person-list-queries.js';
import { type Statement } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Dialog } from '../../components/Dialog.js';
import { CheckList, TextField } from '../../components/Field.js';
import { FindPerson, usePersonFinder } from '../people/PersonChoice.js';

interface ReassignDialogProps {
  readonly statement: Pick<Statement, 'repId' | 'repName' | 'period'>;
  /** Name of the step that has no signer. */
  readonly step: string;
  readonly onClose: () => void;
}

interface Entered {
  readonly chosen: readonly string[];
  readonly reason: string;
}

/** Names who signs a step of one statement whose signers have left. */
export function ReassignDialog({ statement: { repId, repName, period }, step, onClose }: ReassignDialogProps) {
  const { repId: own } = useSession();
  const form = usePersistedForm<Entered>(`reassign ${repId} ${period} ${step}`, { chosen: [], reason: '' });
  const { chosen, reason } = form.values;
  const finder = usePersonFinder({ of: signingPeople, chosen, except: [own, repId] });
  const reassign = useChange({
    send: () =>
      api.reassignStep({ params: { repId }, body: { period, step, repIds: [...chosen], reason: reason.trim() } }),
    onDone: () => {
      showMessage(`${step} of ${repName} waits for the people you named.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Who signs ${step} of ${repName}?`}
      onClose={onClose}
      onSubmit={() => reassign.send()}
      change={reassign}
      form={form}
      action={{ disabled: chosen.length === 0 || reason.trim() === '', children: 'Name them' }}
    >
      <p className="dim">Only for this statement. You cannot name yourself.</p>
      <FindPerson finder={finder} />
      <CheckList
        label="Who signs"
        choices={finder.choices}
        chosen={chosen}
        onChange={(named) => form.change({ chosen: named })}
      />
      <TextField label="Reason, for the audit log" {...form.field('reason')} />
    </Dialog>
  );
}
