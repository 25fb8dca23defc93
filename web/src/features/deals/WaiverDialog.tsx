import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Refund, refundEffectQuery, waiverEffectQuery } from '../../api/refund-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { type EnteredWaiver, readWaiver } from './entered-refund.js';
import { RefundEffect } from './RefundEffect.js';

interface WaiverDialogProps {
  readonly refund: Refund;
  readonly onClose: () => void;
}

/** Lets a person, or everyone, keep a part of what the refund takes back. */
export function WaiverDialog({ refund: { dealId, refundId }, onClose }: WaiverDialogProps) {
  const form = usePersistedForm<EnteredWaiver>(`waiver ${dealId} ${refundId}`, {
    repId: '',
    percent: '100',
    reason: '',
  });
  const sent = readWaiver(form.values);
  const [calculated] = useDebouncedValue(sent, 500);
  const effect = useQuery(waiverEffectQuery(dealId, refundId, calculated));
  const removal = useQuery(refundEffectQuery(dealId, refundId, null));
  const { byRep, locked = [] } = removal.data ?? {};
  const people = new Map([...(byRep ?? []), ...locked].map(({ repId, repName }) => [repId, repName]));
  const save = useChange({
    send: async () => {
      if (sent !== null) await api.waiveRefund({ params: { dealId, refundId }, body: sent });
    },
    onDone: () => {
      showMessage('The waiver was saved. Commission is calculated again.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Who keeps a part of refund ${refundId}`}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: sent === null, children: 'Save' }}
    >
      <Choice label="Who" choices={[['', 'Everyone without a separate waiver'], ...people]} {...form.field('repId')} />
      <TextField
        label="Part that is kept, in percent"
        inputMode="decimal"
        hint="Of what would be taken back. 0 excepts a person from a waiver for everyone; empty ends a waiver."
        {...form.field('percent')}
      />
      <TextField label="Why" maxLength={1000} {...form.field('reason')} />
      {calculated === null ? null : <RefundEffect query={effect} />}
    </Dialog>
  );
}
