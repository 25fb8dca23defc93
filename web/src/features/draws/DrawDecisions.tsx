import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Draw, drawRemovalQuery, forgivenessQuery } from '../../api/draw-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { EffectOfDraw } from './DrawEffect.js';
import { describeDraw } from './words.js';

interface DecisionProps {
  readonly draw: Draw;
  readonly onClose: () => void;
}

/** Writes off a part of what is owed, with a reason that the person reads. */
export function ForgiveDialog({ draw, onClose }: DecisionProps) {
  const { drawId, repId, owed, currency } = draw;
  const form = usePersistedForm(`draw of ${repId} forgive ${drawId}`, { amount: '', reason: '' });
  const amount = readNumber(form.values.amount);
  const reason = form.values.reason.trim();
  const body = amount === null || amount <= 0 || reason === '' ? null : { amount, reason };
  const save = useChange({
    send: async () => (body === null ? null : api.forgiveDraw({ params: { drawId }, body })),
    onDone: () => {
      showMessage('It need not be paid back.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Forgive a part of the draw"
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: body === null, children: 'Forgive' }}
    >
      <p>
        {formatMoney(owed, currency)} is owed. Statements that end from today on no longer recover what is forgiven.
      </p>
      <TextField label="Amount" inputMode="decimal" {...form.field('amount')} />
      <TextField label="Reason" maxLength={1000} hint="The person reads it." {...form.field('reason')} />
      {body === null ? null : <ForgivenessEffect drawId={drawId} body={body} />}
    </Dialog>
  );
}

function ForgivenessEffect({
  drawId,
  body,
}: {
  readonly drawId: string;
  readonly body: { readonly amount: number; readonly reason: string };
}) {
  const { data, error } = useQuery(forgivenessQuery(drawId, body));
  return <EffectOfDraw effect={data?.effect} error={error} />;
}

/** Takes back a draw that was entered by mistake. */
export function DeleteDrawDialog({ draw, onClose }: DecisionProps) {
  const { drawId } = draw;
  const { data, error } = useQuery(drawRemovalQuery(drawId));
  const remove = useChange({
    send: () => api.deleteDraw({ params: { drawId } }),
    onDone: () => {
      showMessage('The draw was deleted.');
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete the ${describeDraw(draw).toLowerCase()}`}
      size={640}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', disabled: error !== null, children: 'Delete' }}
    >
      <p>Open statements are as if it had never been entered.</p>
      <EffectOfDraw effect={data?.effect} error={error} />
    </Dialog>
  );
}
