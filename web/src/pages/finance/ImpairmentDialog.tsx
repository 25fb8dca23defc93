import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { impairmentsQuery } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextArea, TextField } from '../../components/Field.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

interface ImpairmentDialogProps {
  readonly month: string;
  readonly dealId: string;
  readonly dealName: string | null;
  /** That of the company. */
  readonly currency: string;
  readonly onClose: () => void;
}

/** What the customer of a deal will still pay, and what it will still cost. */
export function ImpairmentDialog(props: ImpairmentDialogProps) {
  const { month, dealId, dealName, currency, onClose } = props;
  const stored = useQuery(impairmentsQuery(month)).data?.find((test) => test.dealId === dealId);
  const form = usePersistedForm(`impairment ${dealId}`, {
    consideration: writeNumber(stored?.remainingConsideration),
    cost: writeNumber(stored?.remainingCost),
    note: stored?.note ?? '',
  });
  const { consideration, cost, note } = form.values;
  const [remainingConsideration, remainingCost] = [readNumber(consideration), readNumber(cost)];
  const isComplete = [remainingConsideration, remainingCost].every((amount) => amount !== null && amount >= 0);
  const save = useChange({
    send: async () => {
      if (remainingConsideration === null || remainingCost === null) return;
      await api.putImpairment({
        params: { dealId, month },
        body: { remainingConsideration, remainingCost, note: note.trim() === '' ? null : note.trim() },
      });
    },
    onDone: () => {
      form.clear();
      showMessage(`The test of ${dealName ?? dealId} was saved.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Test ${dealName ?? dealId} for impairment`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: !isComplete, children: 'Save the test' }}
    >
      <p>
        At the end of {formatPeriod(month)}, what the capitalised cost exceeds the rest is written down. The rest is
        spread over the months that are left.
      </p>
      <TextField
        label={`What the customer will still pay, in ${currency}`}
        inputMode="decimal"
        {...form.field('consideration')}
      />
      <TextField
        label={`What it will still cost to provide it, in ${currency}`}
        inputMode="decimal"
        {...form.field('cost')}
      />
      <TextArea label="What it is based on" maxLength={1000} {...form.field('note')} />
    </Dialog>
  );
}
