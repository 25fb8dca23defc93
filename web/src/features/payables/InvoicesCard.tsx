import { useQuery } from '@tanstack/react-query';
import { type Invoice, invoicesQuery } from '../../api/payout-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { paidShare } from './entered-invoice.js';
import { InvoiceDialog } from './InvoiceDialog.js';
import styles from './Payables.module.css';

interface InvoicesCardProps {
  readonly dealId: string;
  /** The currency of invoices that name none. */
  readonly currency: string;
  readonly canEdit: boolean;
}

/** What the customer of a deal is to pay and has paid, which releases commission of rules that wait for it. */
export function InvoicesCard({ dealId, currency, canEdit }: InvoicesCardProps) {
  const query = useQuery(invoicesQuery(dealId));
  const [open, setOpen] = usePersistedChoice<string>(`invoice ${dealId}`);
  return (
    <Loaded query={query} height={134}>
      {(invoices) => (
        <>
          <Card
            title="What the customer pays"
            action={canEdit ? <Button onClick={() => setOpen(newInvoice)}>Add an invoice</Button> : undefined}
          >
            {invoices.length === 0 ? (
              <p className="dim">No invoice yet. Rules that pay when the customer pays wait for one.</p>
            ) : null}
            <ul className={blocks.rows}>
              {invoices.map((invoice) => (
                <InvoiceRow
                  key={invoice.invoiceId}
                  invoice={invoice}
                  currency={invoice.currency ?? currency}
                  onEdit={canEdit ? () => setOpen(`of ${invoice.invoiceId}`) : null}
                />
              ))}
            </ul>
          </Card>
          {open === null ? null : (
            <InvoiceDialog
              key={open}
              dealId={dealId}
              storageKey={`invoice ${dealId} ${open}`}
              invoice={invoices.find(({ invoiceId }) => open === `of ${invoiceId}`) ?? null}
              currency={currency}
              onClose={() => setOpen(null)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

const newInvoice = 'new';

const statusWords = {
  open: null,
  void: { tone: 'neutral', words: 'Void' },
  written_off: { tone: 'negative', words: 'Written off' },
} as const;

function describePayment({ amount, paidOn, rateMissing }: Invoice['payments'][number], currency: string): string {
  const words = `${formatMoney(amount, currency)} on ${formatDay(paidOn, 'year')}`;
  return rateMissing === true ? `${words} (counts nothing: no exchange rate of this day)` : words;
}

interface InvoiceRowProps {
  readonly invoice: Invoice;
  readonly currency: string;
  readonly onEdit: (() => void) | null;
}

function InvoiceRow({ invoice, currency, onEdit }: InvoiceRowProps) {
  const { invoiceId, amount, grossAmount, issuedOn, status, payments } = invoice;
  const state = statusWords[status];
  return (
    <li>
      <span>
        <b className="strong">{invoiceId}</b>{' '}
        <span className="dim">
          {formatMoney(amount, currency)}
          {grossAmount === null ? '' : `, with tax ${formatMoney(grossAmount, currency)}`}, issued on{' '}
          {formatDay(issuedOn, 'year')}
        </span>{' '}
        {state === null ? null : <Badge tone={state.tone}>{state.words}</Badge>}
        <span className="second">
          {payments.length === 0
            ? 'Not paid yet'
            : payments.map((payment) => describePayment(payment, currency)).join(', ')}
        </span>
        <ProgressBar
          ratio={paidShare(invoice)}
          label={`Paid of ${invoiceId}, ${formatCount(payments.length, 'payment')}`}
          isThin
        />
      </span>
      {onEdit === null ? null : (
        <span className={styles.edit}>
          <Button onClick={onEdit} aria-label={`Edit ${invoiceId}`}>
            Edit
          </Button>
        </span>
      )}
    </li>
  );
}
