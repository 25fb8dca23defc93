import { type Clock } from '../kernel/clock.js';
import { type Period } from '../kernel/period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TeamSelection } from '../statements/team-statements.js';
import { findWorkspace } from '../workspaces/workspace-views.js';
import { type Layout, type PayrollFile, payrollFile, type Scope } from './payroll-layouts.js';
import {
  type Included,
  loadTeamExport,
  type TeamExport,
  withoutHandedOver,
  withPayableAmounts,
} from './team-export.js';

interface RequestedFile {
  readonly period: Period | undefined;
  readonly layout: Layout;
  readonly scope: Scope;
  /** The statements to include; absent for those that the layout includes by default. */
  readonly included?: Included | undefined;
  /** Adds employee ids, days of the period and versions to the generic layout. */
  readonly extended: boolean;
}

/** The payroll file of the period, and the team whose amounts it contains. */
export async function loadPayrollFile(
  tx: Transaction,
  requested: RequestedFile,
  selection: TeamSelection,
  clock: Clock,
): Promise<{ readonly file: PayrollFile; readonly team: TeamExport }> {
  const { period, layout, scope, included = includedByDefault(layout, scope), extended } = requested;
  const { payroll } = await findWorkspace(tx);
  const everyone = await loadTeamExport(tx, period, clock, selection, included);
  const team = scope === 'full' ? everyone : await withoutHandedOver(tx, everyone);
  // Payroll systems pay what is payable; the generic file shows it beside what is earned.
  const paid = layout === 'generic' ? team : withPayableAmounts(team);
  return { file: payrollFile(layout, paid, payroll, extended), team };
}

/** The file of a payroll system with the amounts of the team. */
export async function loadPayrollLayout(tx: Transaction, layout: Layout, team: TeamExport): Promise<PayrollFile> {
  const { payroll } = await findWorkspace(tx);
  return payrollFile(layout, team, payroll, false);
}

/** Files for payroll systems are paid without review, so they contain drafts only on request. */
function includedByDefault(layout: Layout, scope: Scope): Included {
  return layout === 'generic' && scope === 'full' ? 'everyone' : 'approved';
}
