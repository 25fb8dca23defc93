import { useQuery } from '@tanstack/react-query';
import { type Delegation, delegationsQuery } from '../../api/approval-queries.js';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { signingPeople } from '../../api/person-list-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { formatDays } from '../../shared/format/dates.js';
import { PersonChoice } from '../people/PersonChoice.js';

/** Lets another person sign the steps of the own person on some days. */
export function DelegationsDialog({ onClose }: { readonly onClose: () => void }) {
  const { repId: own } = useSession();
  const today = useToday();
  const form = usePersistedForm('delegation', { delegateId: '', from: today, to: today });
  const { delegateId, from, to } = form.values;
  const save = useChange({
    send: () =>
      api.putDelegation({
        params: { delegationId: crypto.randomUUID() },
        body: { fromRepId: own, delegateId, from, to, scopes: ['approvals'] },
      }),
    onDone: ({ delegate }) => {
      showMessage(`${delegate.name} can sign for you ${formatDays({ from, to })}.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Let someone sign for you"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: delegateId === '' || to < from, children: 'Delegate' }}
    >
      <p className="dim">
        They sign your steps with their own name, at most one step of a statement, for at most 92 days.
      </p>
      <PersonChoice
        label="Person"
        of={signingPeople}
        except={[own]}
        first={[['', 'Choose a person']]}
        {...form.field('delegateId')}
      />
      <TextField label="First day" type="date" {...form.field('from')} />
      <TextField label="Last day" type="date" {...form.field('to')} />
      <Present />
    </Dialog>
  );
}

function Present() {
  const delegations = useQuery(delegationsQuery).data?.delegations ?? [];
  if (delegations.length === 0) return null;
  return (
    <ul className={blocks.rows} aria-label="Delegations">
      {delegations.map((delegation) => (
        <Row key={delegation.delegationId} delegation={delegation} />
      ))}
    </ul>
  );
}

function Row({ delegation: { delegationId, delegator, delegate, from, to } }: { readonly delegation: Delegation }) {
  const { repId: own, role } = useSession();
  return (
    <li>
      <span>
        {delegate.name} signs for {delegator.name}, {formatDays({ from, to })}
      </span>
      {delegator.repId === own || role === 'admin' ? (
        <ConfirmButton
          confirm="End it"
          send={() => api.deleteDelegation({ params: { delegationId } })}
          onDone={() => showMessage('The delegation has ended.')}
        >
          End
        </ConfirmButton>
      ) : null}
    </li>
  );
}
