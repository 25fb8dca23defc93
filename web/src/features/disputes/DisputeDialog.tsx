import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { dealsQuery, type Explanation } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Dialog } from '../../components/Dialog.js';
import { AmountField, Choice, TextArea, TextField } from '../../components/Field.js';
import { amountProblem } from '../../shared/format/amounts.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { findDealId } from './entered-deal.js';
import { type DisputeType, disputeKey, disputeTypes } from './words.js';

interface DisputeDialogProps {
  readonly period: string;
  /** The amount in question; null for something that is missing. */
  readonly event: Explanation['event'] | null;
  readonly onClose: () => void;
}

interface Entered {
  readonly type: DisputeType;
  readonly description: string;
  readonly expected: string;
  readonly dealId: string;
}

/** Opens a dispute. The service stores what it has calculated with it. */
export function DisputeDialog({ period, event, onClose }: DisputeDialogProps) {
  const { repId, workspace } = useSession();
  const suggestions = useId();
  const form = usePersistedForm<Entered>(disputeKey(period, event?.eventId ?? null), {
    type: event === null ? 'missing_deal' : 'wrong_amount',
    description: '',
    expected: '',
    dealId: '',
  });
  const { description, expected } = form.values;
  const { deals = [] } = useQuery({ ...dealsQuery({ repId, limit: '500' }), enabled: event === null }).data ?? {};
  const open = useChange({
    send: () => {
      const values = { ...form.values, dealId: findDealId(form.values.dealId, deals) };
      return api.openDispute({ body: toBody(values, period, event, repId) });
    },
    reloads: { queryKey: ['disputes'] },
    onDone: () => {
      showMessage('Your question was sent. You see the answer under Questions.');
      form.clear();
      onClose();
    },
  });
  const about = event === null ? formatPeriod(period) : (event.dealName ?? event.ruleName ?? formatPeriod(period));
  return (
    <Dialog
      onClose={onClose}
      title={`Ask about ${about}`}
      action={{
        children: 'Send question',
        disabled: description.trim() === '' || amountProblem(expected) !== null,
      }}
      onSubmit={() => open.send()}
      change={open}
      form={form}
    >
      {event === null ? null : (
        <p className="dim">
          {event.ruleName}: {formatMoney(event.amount, event.currency)}. How it was computed is attached.
        </p>
      )}
      <Choice label="What is wrong?" choices={disputeTypes} {...form.field('type')} />
      {event === null ? (
        <>
          <TextField
            label="Deal, by name or ID (optional)"
            hint="A deal that is not in the list may be missing altogether: enter its ID in the CRM."
            list={suggestions}
            maxLength={200}
            {...form.field('dealId')}
          />
          <datalist id={suggestions}>
            {deals.map(({ deal_id, name }) => (
              <option key={deal_id} value={name ?? deal_id}>
                {deal_id}
              </option>
            ))}
          </datalist>
        </>
      ) : null}
      <AmountField label={`Amount that you expect, ${workspace.currency} (optional)`} {...form.field('expected')} />
      <TextArea label="Your explanation" required rows={4} maxLength={4000} {...form.field('description')} />
    </Dialog>
  );
}

function toBody(
  { type, description, expected, dealId }: Entered,
  period: string,
  event: Explanation['event'] | null,
  ownId: string,
) {
  const amount = readNumber(expected);
  return {
    repId: event?.repId ?? ownId,
    period,
    type,
    description: description.trim(),
    ...(event === null ? {} : { eventId: event.eventId }),
    ...(event === null && dealId.trim() !== '' ? { dealId: dealId.trim() } : {}),
    ...(amount === null ? {} : { expectedAmount: amount }),
  };
}
