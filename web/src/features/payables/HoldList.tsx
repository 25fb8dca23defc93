import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Hold } from '../../api/payout-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import { mayPay, useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Badge } from '../../components/StatusBadge.js';
import { isDay } from '../../shared/format/dates.js';
import { describeHeld, describeHoldDays, isRunning } from './entered-hold.js';

/** Holds with their reasons, and for those who pay the button that releases what they hold. */
export function HoldList({ holds }: { readonly holds: readonly Hold[] }) {
  const { role } = useSession();
  const today = useToday();
  const [open, setOpen] = usePersistedChoice<string>('release');
  const released = holds.find(({ holdId }) => holdId === open);
  return (
    <>
      <ul className={blocks.rows} aria-label="Holds">
        {holds.map((hold) => (
          <li key={hold.holdId}>
            <span>
              <Badge tone={isRunning(hold, today) ? 'warning' : 'neutral'}>
                {isRunning(hold, today) ? 'Held' : 'Ended'}
              </Badge>{' '}
              <b className="strong">{describeHeld(hold)}</b> <span className="dim">{describeHoldDays(hold)}</span>
              <span className="second">
                {hold.reason}
                {hold.note === null ? '' : ` ${hold.note}`}
              </span>
            </span>
            {isRunning(hold, today) && mayPay(role) ? (
              <Button onClick={() => setOpen(hold.holdId)} aria-label={`Release ${describeHeld(hold)}`}>
                Release
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {released === undefined ? null : <ReleaseDialog hold={released} today={today} onClose={() => setOpen(null)} />}
    </>
  );
}

interface ReleaseDialogProps {
  readonly hold: Hold;
  readonly today: string;
  readonly onClose: () => void;
}

/** Ends a hold: the first statement that ends after its last day pays what was missed. */
function ReleaseDialog({ hold, today, onClose }: ReleaseDialogProps) {
  const { holdId, from, note } = hold;
  const [before] = useState(() => ({ to: hold.to ?? (from > today ? from : today), note: note ?? '' }));
  const form = usePersistedForm(`release ${holdId}`, before);
  const { to } = form.values;
  const save = useChange({
    send: () => api.updateHold({ params: { holdId }, body: { to, note: form.values.note.trim() || null } }),
    onDone: () => {
      showMessage('The hold ends.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Release ${describeHeld(hold)}`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      canSendUnchanged
      action={{ disabled: !isDay(to) || to < from, children: 'Release' }}
    >
      <p>The first statement that ends after the last day pays what was missed.</p>
      <TextField label="Last day of the hold" type="date" {...form.field('to')} />
      <TextField label="Reason" maxLength={1000} hint="Such as why it ends." {...form.field('note')} />
    </Dialog>
  );
}
