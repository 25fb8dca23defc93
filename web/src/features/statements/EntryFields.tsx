import { type PersistedForm } from '../../app/persisted-state.js';
import { AmountField, TextArea } from '../../components/Field.js';
import { type Entry, entryProblem } from './entries.js';

interface EntryFieldsProps {
  readonly kind: string;
  readonly currency: string;
  readonly repName: string;
  readonly form: Pick<PersistedForm<Entry>, 'values' | 'field'>;
}

/** The amount and the reason of an adjustment or clawback. */
export function EntryFields({ kind, currency, repName, form }: EntryFieldsProps) {
  return (
    <>
      <AmountField
        label={`Amount in ${currency}`}
        required
        problem={entryProblem(kind, form.values.amount)}
        {...form.field('amount')}
      />
      <TextArea label={`Reason, which ${repName} sees`} required maxLength={500} {...form.field('reason')} />
    </>
  );
}
