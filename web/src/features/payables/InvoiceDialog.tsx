import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Invoice } from '../../api/payout-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import {
  addPayment,
  type EnteredInvoice,
  type EnteredPayment,
  readInvoice,
  toEnteredInvoice,
} from './entered-invoice.js';
import styles from './Payables.module.css';

interface InvoiceDialogProps {
  readonly dealId: string;
  /** The key under which the browser keeps what is entered. */
  readonly storageKey: string;
  /** Null for a new one. */
  readonly invoice: Invoice | null;
  /** The currency of invoices that name none. */
  readonly currency: string;
  readonly onClose: () => void;
}

/** An invoice with all of its payments, which are stored together. */
export function InvoiceDialog({ dealId, storageKey, invoice, currency, onClose }: InvoiceDialogProps) {
  const [before] = useState(() => toEnteredInvoice(invoice));
  const form = usePersistedForm<EnteredInvoice>(storageKey, before);
  const { invoiceId, payments } = form.values;
  const sent = readInvoice(form.values);
  const save = useChange({
    send: async () => {
      if (sent !== null) await api.putInvoice({ params: { dealId, invoiceId: invoiceId.trim() }, body: sent });
    },
    onDone: () => {
      showMessage(`${invoiceId.trim()} was saved.`);
      form.clear();
      onClose();
    },
  });
  const [isDeleting, setDeleting] = useState(false);
  if (invoice !== null && isDeleting) return <DeleteDialog invoice={invoice} onClose={onClose} />;
  const change = (index: number, part: Partial<EnteredPayment>) =>
    form.change({ payments: payments.map((payment, at) => (at === index ? { ...payment, ...part } : payment)) });
  return (
    <Dialog
      title={invoice === null ? 'New invoice' : `Invoice ${invoice.invoiceId}`}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: sent === null, children: 'Save' }}
    >
      <InvoiceFields form={form} isNew={invoice === null} currency={currency} />
      {payments.map((payment, index) => (
        <PaymentFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a removal renders all payments again
          key={index}
          payment={payment}
          number={index + 1}
          onChange={(part) => change(index, part)}
          onRemove={() => form.change({ payments: payments.filter((_, at) => at !== index) })}
        />
      ))}
      <div className={blocks.actions}>
        <Button onClick={() => form.change({ payments: addPayment(payments) })}>Add a payment</Button>
        {invoice === null ? null : (
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        )}
      </div>
      <p className="dim">
        A payment that failed is negative. One that is entered late is paid with the next statement that is not
        approved.
      </p>
    </Dialog>
  );
}

interface InvoiceFieldsProps {
  readonly form: PersistedForm<EnteredInvoice>;
  readonly isNew: boolean;
  readonly currency: string;
}

function InvoiceFields({ form, isNew, currency }: InvoiceFieldsProps) {
  return (
    <div className={styles.invoice}>
      {isNew ? <TextField label="Invoice number" maxLength={200} {...form.field('invoiceId')} /> : null}
      <TextField label="Issued on" type="date" {...form.field('issuedOn')} />
      <TextField label="Amount without tax" inputMode="decimal" {...form.field('amount')} />
      <TextField
        label="Amount with tax"
        inputMode="decimal"
        hint="Only if payments are with tax."
        {...form.field('grossAmount')}
      />
      <TextField label="Currency" maxLength={3} hint={`${currency} if empty.`} {...form.field('currency')} />
      <Choice
        label="Status"
        choices={[
          ['open', 'open'],
          ['void', 'void: it does not count'],
          ['written_off', 'written off: what was paid counts'],
        ]}
        {...form.field('status')}
      />
    </div>
  );
}

interface PaymentFieldsProps {
  readonly payment: EnteredPayment;
  readonly number: number;
  readonly onChange: (part: Partial<EnteredPayment>) => void;
  readonly onRemove: () => void;
}

function PaymentFields({ payment: { paymentId, amount, paidOn }, number, onChange, onRemove }: PaymentFieldsProps) {
  return (
    <fieldset aria-label={`Payment ${number}`} className={styles.payment}>
      <TextField
        label="Paid on"
        type="date"
        value={paidOn}
        onChange={({ currentTarget }) => onChange({ paidOn: currentTarget.value })}
      />
      <TextField
        label="Amount"
        inputMode="decimal"
        value={amount}
        onChange={({ currentTarget }) => onChange({ amount: currentTarget.value })}
      />
      <TextField
        label="Payment ID"
        maxLength={200}
        value={paymentId}
        onChange={({ currentTarget }) => onChange({ paymentId: currentTarget.value })}
      />
      <Button onClick={onRemove} aria-label={`Remove payment ${number}`}>
        Remove
      </Button>
    </fieldset>
  );
}

function DeleteDialog({
  invoice: { dealId, invoiceId },
  onClose,
}: {
  readonly invoice: Invoice;
  readonly onClose: () => void;
}) {
  const remove = useChange({
    send: () => api.deleteInvoice({ params: { dealId, invoiceId } }),
    onDone: () => {
      showMessage(`${invoiceId} was deleted.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete invoice ${invoiceId}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <p>
        Its payments no longer count. What they released and is approved becomes a balance, which later statements keep.
      </p>
    </Dialog>
  );
}
