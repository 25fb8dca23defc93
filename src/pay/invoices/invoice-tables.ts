import { type ColumnType, type Generated } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Numeric } from '../../platform/database/tables.js';

type InvoiceStatus = 'open' | 'void' | 'written_off';

/** Rows of the tables of invoices. */
export interface InvoiceTables {
  invoices: {
    workspace_id: string;
    deal_id: string;
    invoice_id: string;
    amount: Numeric;
    gross_amount: Numeric | null;
    currency: string | null;
    issued_on: Day;
    status: InvoiceStatus;
    updated_at: GeneratedInstant;
  };
  customer_payments: {
    workspace_id: string;
    deal_id: string;
    invoice_id: string;
    payment_id: string;
    amount: Numeric;
    paid_on: Day;
  };
  invoice_history: {
    workspace_id: string;
    position: Generated<string>;
    deal_id: string;
    invoice_id: string;
    changed_at: GeneratedInstant;
    content: ColumnType<unknown, string | null, never>;
  };
}
