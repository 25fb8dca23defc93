import { type ColumnType, type Generated } from 'kysely';
import { type Day } from '../kernel/day.js';
import { type Instant, type Json, type Numeric } from '../platform/database/tables.js';
import { type Account, type AccountRole, type EntryKind } from './accounts.js';
import { type ClosedTreatment } from './closed-lots.js';
import { type BookTotal, type ClosingContent } from './closing.js';
import { type StoredEstimate } from './estimate.js';
import { type Framework } from './keep-books.js';
import { type PolicyTerms } from './policy.js';
import { type RepEntity } from './rep-entities.js';

/** Rows of the tables of accounting. */
export interface AccountingTables {
  accounting_entities: {
    workspace_id: string;
    code: string;
    version: number;
    name: string;
    currency: string;
    framework: ColumnType<Framework, Framework | undefined, Framework>;
    payroll_tax: ColumnType<readonly { readonly from: Day; readonly percent: string }[], string | undefined, string>;
    accounts: ColumnType<Readonly<Partial<Record<AccountRole, Account>>>, string | undefined, string>;
    stored_at: Instant;
  };
  accounting_rep_entities: {
    workspace_id: string;
    rep_id: string;
    version: number;
    entities: Json<readonly RepEntity[]>;
    stored_at: Instant;
  };
  accounting_preparations: {
    workspace_id: string;
    month: string;
    hash: string;
    totals: Json<readonly BookTotal[]>;
    actor: string;
    author_id: string | null;
    prepared_at: Instant;
  };
  accounting_closings: {
    workspace_id: string;
    month: string;
    version: number;
    is_opening: Generated<boolean>;
    hash: string;
    content: Json<ClosingContent>;
    prepared_by: string;
    closed_by: string;
    closed_by_id: string | null;
    closed_at: Instant;
    reopen_reason: ColumnType<string | null, undefined, string | null>;
    reopen_requested_by: ColumnType<string | null, undefined, string | null>;
    reopen_requested_by_id: ColumnType<string | null, undefined, string | null>;
    reopen_requested_at: ColumnType<Date | null, undefined, Date | null>;
    reopened_by: ColumnType<string | null, undefined, string | null>;
    reopened_at: ColumnType<Date | null, undefined, Date | null>;
    posted_by: ColumnType<string | null, undefined, string | null>;
    posted_at: ColumnType<Date | null, undefined, Date | null>;
    posted_reference: ColumnType<string | null, undefined, string | null>;
  };
  accounting_policies: {
    workspace_id: string;
    name: string;
    version: number;
    terms: Json<PolicyTerms>;
    status: 'proposed' | 'approved' | 'withdrawn';
    proposed_by: string;
    proposed_by_id: string | null;
    proposed_at: Instant;
    decided_by: ColumnType<string | null, undefined, string | null>;
    decided_at: ColumnType<Date | null, undefined, Date | null>;
  };
  accounting_estimates: {
    workspace_id: string;
    month: string;
    version: number;
    estimates: Json<readonly StoredEstimate[]>;
    stored_at: Instant;
  };
  accounting_write_offs: {
    workspace_id: string;
    write_off_id: string;
    rep_id: string;
    entity: string;
    currency: string;
    amount: Numeric;
    day: Day;
    reason: string;
    status: 'proposed' | 'approved' | 'withdrawn';
    proposed_by: string;
    proposed_by_id: string | null;
    proposed_at: Instant;
    decided_by: ColumnType<string | null, undefined, string | null>;
    decided_at: ColumnType<Date | null, undefined, Date | null>;
  };
  accounting_lines: {
    workspace_id: string;
    month: string;
    version: number;
    line_id: string;
    entity: string;
    day: Day;
    kind: EntryKind;
    ref: string;
    source: string;
    account: AccountRole;
    rep_id: string;
    currency: string;
    amount: Numeric;
    value: Numeric;
    late: boolean;
    deal_id: string | null;
    plan_id: string | null;
    rule_name: string | null;
    period: string | null;
    batch_id: string | null;
    draw_id: string | null;
  };
  accounting_lots: {
    workspace_id: string;
    month: string;
    version: number;
    entity: string;
    rep_id: string;
    lot_key: string;
    content: Json<ClosedTreatment>;
  };
}
