import { type AuthTables } from '../access/auth/auth-tables.js';
import { type WorkspaceTables } from '../access/workspaces/workspace-tables.js';
import { type AgentAccessTables } from '../agents/access/agent-access-tables.js';
import { type ChangeRequestTables } from '../agents/change-requests/change-request-tables.js';
import { type AuditTables } from '../audit/audit-tables.js';
import { type BillingTables } from '../billing/billing-tables.js';
import { type AcceptanceTables } from '../commissions/acceptance-tables.js';
import { type ExceptionJobTables } from '../commissions/exception-jobs/exception-job-tables.js';
import { type IntegrationTables } from '../crm/connections/integration-tables.js';
import { type DealTables } from '../deals/deal-tables.js';
import { type RefundTables } from '../deals/refunds/refund-tables.js';
import { type ExportTables } from '../exports/export-tables.js';
import { type AccountingTables } from '../finance/accounting-tables.js';
import { type LedgerTables } from '../ledger/tables.js';
import { type DrawTables } from '../pay/draws/draw-tables.js';
import { type InvoiceTables } from '../pay/invoices/invoice-tables.js';
import { type PayableTables } from '../pay/payables/payable-tables.js';
import { type PayoutTables } from '../pay/payouts/payout-tables.js';
import { type AbsenceTables } from '../people/absences/absence-tables.js';
import { type AssignmentTables } from '../people/assignments/assignment-tables.js';
import { type HolidayTables } from '../people/holidays/holiday-tables.js';
import { type RampTables } from '../people/ramps/ramp-tables.js';
import { type RepTables } from '../people/reps/rep-tables.js';
import { type ScimTables } from '../people/scim/scim-tables.js';
import { type PlanAcceptanceTables } from '../plans/acceptance/acceptance-tables.js';
import { type PlanTables } from '../plans/plan-tables.js';
import { type QuotaTables } from '../plans/quotas/quota-tables.js';
import { type InboxTables } from '../platform/inbox/inbox-tables.js';
import { type OutboundTables } from '../platform/outbound/outbound-tables.js';
import { type FiscalYearTables } from '../rates/fiscal-years/fiscal-year-tables.js';
import { type ScheduledImportTables } from '../scheduled-imports/scheduled-import-tables.js';
import { type ApprovalTables } from '../statements/approvals/approval-tables.js';
import { type CommentTables } from '../statements/comments/comment-tables.js';
import { type DiscrepancyTables } from '../statements/discrepancies/discrepancy-tables.js';
import { type DisputeTables } from '../statements/disputes/dispute-tables.js';
import { type ProposalTables } from '../statements/proposals/proposal-tables.js';
import { type StatementTables } from '../statements/statement-tables.js';

/**
 * Adds the tables of the slices to the type of the database, so that the platform imports no slice. TypeScript reads
 * this file with the others; no file imports it.
 */
declare module '../platform/database/tables.js' {
  interface Tables
    extends AbsenceTables,
      HolidayTables,
      AccountingTables,
      AgentAccessTables,
      ApprovalTables,
      AssignmentTables,
      AuditTables,
      AuthTables,
      BillingTables,
      ChangeRequestTables,
      CommentTables,
      DealTables,
      DiscrepancyTables,
      DisputeTables,
      DrawTables,
      ExceptionJobTables,
      ExportTables,
      FiscalYearTables,
      IntegrationTables,
      InvoiceTables,
      LedgerTables,
      PayableTables,
      PayoutTables,
      PlanAcceptanceTables,
      PlanTables,
      InboxTables,
      OutboundTables,
      QuotaTables,
      AcceptanceTables,
      RampTables,
      RefundTables,
      RepTables,
      ScheduledImportTables,
      ScimTables,
      ProposalTables,
      StatementTables,
      WorkspaceTables {}
}
