import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { type Draw, drawEffectQuery, type NewDraw, sendDraw } from '../../api/draw-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { Note } from '../../components/Note.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { EffectOfDraw } from './DrawEffect.js';
import styles from './Draws.module.css';
import { type EnteredDraw, readDraw, toEnteredDraw } from './entered-draw.js';
import { describeDraw, describeRecovery } from './words.js';

interface DrawDialogProps {
  readonly repId: string;
  /** Null for a new one. */
  readonly draw: Draw | null;
  /** The currency of draws that name none. */
  readonly currency: string;
  readonly onClose: () => void;
}

/** The terms of a draw, with what they do to open statements before they are saved. */
export function DrawDialog({ repId, draw, currency, onClose }: DrawDialogProps) {
  const drawId = draw?.drawId ?? null;
  const [before] = useState(() => toEnteredDraw(draw));
  const form = usePersistedForm<EnteredDraw>(
    `draw of ${repId} ${drawId === null ? 'new' : `change ${drawId}`}`,
    before,
  );
  const terms = readDraw(repId, form.values);
  const save = useChange({
    send: async () => (terms === null ? null : sendDraw(drawId, terms)),
    onDone: () => {
      showMessage('The draw was saved. Statements that are not approved follow it.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={draw === null ? 'New draw' : describeDraw(draw)}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: terms === null, children: 'Save' }}
    >
      {draw === null ? <NewTerms form={form} currency={currency} /> : null}
      <TextField label="Last day" type="date" hint="Until it is ended if empty." {...form.field('to')} />
      {form.values.recoverable === 'yes' ? <Recovery form={form} /> : null}
      {terms === null || !form.isChanged ? null : <Preview drawId={drawId} terms={terms} />}
    </Dialog>
  );
}

interface FormProps {
  readonly form: PersistedForm<EnteredDraw>;
}

function NewTerms({ form, currency }: FormProps & { readonly currency: string }) {
  return (
    <div className={styles.fields}>
      <Choice
        label="Kind"
        choices={[
          ['guarantee', 'Guarantee: a top-up'],
          ['advance', 'Advance: in addition'],
        ]}
        {...form.field('kind')}
      />
      <Choice
        label="Is it paid back?"
        choices={[
          ['yes', 'yes, from later pay'],
          ['no', 'no'],
        ]}
        {...form.field('recoverable')}
      />
      <TextField label="Amount for each pay period" inputMode="decimal" {...form.field('amount')} />
      <TextField label="Currency" maxLength={3} hint={`${currency} if empty.`} {...form.field('currency')} />
      <TextField label="First day" type="date" {...form.field('from')} />
    </div>
  );
}

function Recovery({ form }: FormProps) {
  return (
    <div className={styles.fields}>
      <Choice
        label="Paid back"
        choices={[
          ['next_period', 'from the next statement on'],
          ['after_end', 'after its last day'],
          ['day', 'from a day on'],
        ]}
        {...form.field('start')}
      />
      {form.values.start === 'day' ? <TextField label="From" type="date" {...form.field('day')} /> : null}
      <TextField
        label="Kept of a statement at most, %"
        inputMode="decimal"
        hint="Of what it releases."
        {...form.field('maxPercent')}
      />
      <TextField
        label="Forgiven on"
        type="date"
        hint="What is still owed is written off. Never if empty."
        {...form.field('forgiveOn')}
      />
    </div>
  );
}

function Preview({ drawId, terms }: { readonly drawId: string | null; readonly terms: NewDraw }) {
  const { data, error } = useQuery(drawEffectQuery(drawId, terms));
  return (
    <>
      {data === undefined ? null : <p>{describeRecovery(data)}</p>}
      {(data?.warnings ?? []).map(({ code, message }) => (
        <Note key={code} tone="warning" icon={IconAlertTriangle} title="Check this before you save">
          <p>{plainMessage(message)}</p>
        </Note>
      ))}
      <EffectOfDraw effect={data?.effect} error={error} />
    </>
  );
}
