import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { earningPeople } from '../../api/person-list-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useToday } from '../../app/today.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { PersonChoice } from '../people/PersonChoice.js';
import { type EnteredHold, readHold } from './entered-hold.js';

interface HoldDialogProps {
  /** The deal whose pay is held; absent if it is entered. */
  readonly dealId?: string;
  /** The key under which the browser keeps what is entered. */
  readonly storageKey: string;
  readonly onClose: () => void;
}

/** Stops what is paid to a person, for a deal or of a rule, with a reason that these people read. */
export function HoldDialog({ dealId, storageKey, onClose }: HoldDialogProps) {
  const today = useToday();
  const [before] = useState<EnteredHold>(() => ({
    person: '',
    dealId: dealId ?? '',
    ruleName: '',
    from: today,
    to: '',
    reason: '',
  }));
  const form = usePersistedForm<EnteredHold>(storageKey, before);
  const sent = readHold(form.values);
  const save = useChange({
    send: async () => {
      if (sent !== null) await api.createHold({ body: sent });
    },
    onDone: () => {
      showMessage('The hold was saved. Statements that end within it pay nothing of what it names.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Hold pay"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: sent === null, children: 'Hold' }}
    >
      <PersonChoice label="Person" of={earningPeople} first={[['', 'everyone']]} {...form.field('person')} />
      {dealId === undefined ? <TextField label="Deal ID" hint="All deals if empty." {...form.field('dealId')} /> : null}
      <TextField label="Rule" maxLength={200} hint="All rules if empty." {...form.field('ruleName')} />
      <TextField label="First day" type="date" {...form.field('from')} />
      <TextField label="Last day" type="date" hint="Until it is released if empty." {...form.field('to')} />
      <TextField
        label="Reason"
        maxLength={1000}
        hint="The people whose pay is held read it."
        {...form.field('reason')}
      />
    </Dialog>
  );
}
