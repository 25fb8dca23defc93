import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { peopleQuery } from '../../api/payroll-queries.js';
import { type Statement } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { useSession } from '../../app/session.js';
import { Dialog } from '../../components/Dialog.js';
import { CheckList, TextField } from '../../components/Field.js';

interface ReassignDialogProps {
  readonly statement: Pick<Statement, 'repId' | 'repName' | 'period'>;
  /** Name of the step that has no signer. */
  readonly step: string;
  readonly onClose: () => void;
}

/** Names who signs a step of one statement whose signers have left. */
export function ReassignDialog({ statement: { repId, repName, period }, step, onClose }: ReassignDialogProps) {
  const { repId: own } = useSession();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [reason, setReason] = useState('');
  const people = (useQuery(peopleQuery).data?.reps ?? []).filter(
    ({ id, role, active }) => active && (role === 'admin' || role === 'manager') && id !== own && id !== repId,
  );
  const reassign = useChange({
    send: () =>
      api.reassignStep({ params: { repId }, body: { period, step, repIds: [...chosen], reason: reason.trim() } }),
    onDone: () => {
      showMessage(`${step} of ${repName} waits for the people you named.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Who signs ${step} of ${repName}?`}
      onClose={onClose}
      onSubmit={() => reassign.send()}
      change={reassign}
      action={{ disabled: chosen.length === 0 || reason.trim() === '', children: 'Name them' }}
    >
      <p className="dim">Only for this statement. You cannot name yourself.</p>
      <CheckList
        label="Who signs"
        choices={people.map(({ id, name }) => [id, name] as const)}
        chosen={chosen}
        onChange={setChosen}
      />
      <TextField
        label="Reason, for the audit log"
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Dialog>
  );
}
