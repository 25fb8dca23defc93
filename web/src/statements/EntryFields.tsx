import { type KeptForm } from '../app/kept-state.js';
import { AmountField, TextArea } from '../components/Field.js';
import { amountProblem } from '../format/amounts.js';

interface Entry {
  readonly amount: string;
  readonly reason: string;
}

function entryProblem(kind: string, amount: string): string | null {
  const problem = amountProblem(amount);
  if (problem !== null || amount.trim() === '') return problem;
  return kind === 'clawback' && !amount.trim().startsWith('-') ? 'A clawback is negative, such as -250.' : null;
}

/** Whether the entry can be sent. */
export function isComplete(kind: string, { amount, reason }: Entry): boolean {
  return amount.trim() !== '' && entryProblem(kind, amount) === null && reason.trim() !== '';
}

interface EntryFieldsProps {
  readonly kind: string;
  readonly currency: string;
  readonly repName: string;
  readonly form: Pick<KeptForm<Entry>, 'values' | 'field'>;
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
      <TextArea label={`Reason, for ${repName} to read`} required maxLength={500} {...form.field('reason')} />
    </>
  );
}
