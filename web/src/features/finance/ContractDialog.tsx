import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Contract } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { DatedFields } from './DatedFields.js';
import { type EnteredContract, readContract, toEnteredContract } from './entered-contract.js';

interface ContractDialogProps {
  readonly dealId: string;
  /** Null where nothing is stated yet. */
  readonly contract: Contract | null;
  readonly onClose: () => void;
}

/** The term of the contract of a deal, its end, and what it renews. */
export function ContractDialog({ dealId, contract, onClose }: ContractDialogProps) {
  const [before] = useState(() => toEnteredContract(contract));
  const form = usePersistedForm<EnteredContract>(`contract ${dealId}`, before);
  const sent = readContract(form.values);
  const params = { dealId };
  const close = (message: string) => {
    showMessage(message);
    form.clear();
    onClose();
  };
  const save = useChange({
    send: async () => {
      if (sent !== null) await api.putContract({ params, body: sent });
    },
    onDone: () => close('The contract was saved.'),
  });
  return (
    <Dialog
      title="Contract of the deal"
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: sent === null, children: 'Save' }}
    >
      <TextField label="First day" type="date" {...form.field('start')} />
      <TextField label="Last day" type="date" hint="Or the months below." {...form.field('end')} />
      <TextField label="Months" inputMode="numeric" {...form.field('months')} />
      <TextField
        label="Terminated on"
        type="date"
        hint="On this day, what is left of the contract ends."
        {...form.field('terminatedOn')}
      />
      <TextField
        label="Renews the contract of"
        maxLength={200}
        hint="ID of a deal; empty for new business."
        {...form.field('renewalOf')}
      />
      <TextField
        label="Value of the contract"
        inputMode="decimal"
        hint="In the currency of the company."
        {...form.field('value')}
      />
      <DatedFields
        name="Other day"
        dayLabel="Day"
        rows={form.values.days}
        blank={{ from: '', name: '' }}
        onChange={(days) => form.change({ days })}
      >
        {({ name }, change) => (
          <TextField
            label="Name"
            maxLength={100}
            hint="Such as go_live, which policies can name."
            value={name}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        )}
      </DatedFields>
      {contract === null ? null : (
        <div className={blocks.actions}>
          <ConfirmButton
            confirm="Delete the contract"
            send={() => api.deleteContract({ params })}
            onDone={() => close('The contract was deleted.')}
          >
            Delete …
          </ConfirmButton>
        </div>
      )}
    </Dialog>
  );
}
