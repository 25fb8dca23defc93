import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/change.js';
import { rateTableEffectQuery, sendRateTable } from '../../api/rate-table-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { TextField } from '../../components/Field.js';
import { type BuiltTable, type Head, rejectedCells } from '../../features/rate-tables/edited-table.js';
import { formatCount } from '../../shared/format/numbers.js';

interface SaveTableDialogProps {
  readonly name: string;
  readonly built: BuiltTable;
  readonly head: Head;
  /** The cells that the service rejects. */
  readonly onRejected: (cells: ReadonlyMap<string, string>) => void;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** What the table moves, before it is stored. */
export function SaveTableDialog({ name, built, head, onRejected, onSaved, onClose }: SaveTableDialogProps) {
  const { body } = built;
  const form = usePersistedForm(`rate-table-note ${name}`, { note: '' });
  const effect = useQuery(rateTableEffectQuery(name, body));
  const navigate = useNavigate();
  const save = useChange({
    send: () => {
      const note = form.values.note.trim();
      return sendRateTable(name, note === '' ? body : { ...body, note });
    },
    onDone: async ({ affected }) => {
      showMessage(affected.reps === 0 ? `${name} was saved.` : `${name} was saved. Commission is calculated again.`);
      form.clear();
      onClose();
      if (body.revision === 0) await navigate({ to: '/rate-tables/$name', params: { name } });
      onSaved();
    },
  });
  const { data } = effect;
  const rejected = rejectedCells(effect.error ?? save.error, built, head);
  const close = () => {
    onRejected(rejected);
    onClose();
  };
  return (
    <Dialog
      title={`Save ${name}`}
      size={560}
      onClose={close}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      canSendUnchanged
      action={{ disabled: data == null || effect.error !== null, children: 'Save' }}
    >
      {data == null ? null : (
        <p>
          {formatCount(data.rows.added, 'row')} added, {data.rows.changed} changed, {data.rows.ended} ended.{' '}
          {data.affected.plans.length === 0
            ? 'No active plan uses the table.'
            : `Used by ${data.affected.plans.map((plan) => plan.name).join(', ')}.`}
        </p>
      )}
      {rejected.size > 0 ? (
        <p className="negative">
          {formatCount(rejected.size, 'cell')} cannot be saved. They are marked when this is closed.
        </p>
      ) : (
        <EffectOfChange query={{ ...effect, data: data == null ? undefined : (data.effect ?? null) }} what="change" />
      )}
      <TextField label="Why" maxLength={1000} hint="Optional, for the history of the table." {...form.field('note')} />
      <p className="dim">Approved statements do not change.</p>
    </Dialog>
  );
}
