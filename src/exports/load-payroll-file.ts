import { findWorkspace } from '../access/workspaces/workspace-views.js';
import { type Clock } from '../kernel/clock.js';
import { Failure } from '../kernel/failure.js';
import { type Period } from '../kernel/period.js';
import { isPayPeriod } from '../pay/payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { resolvePeriod } from '../statements/statement-views.js';
import { type TeamSelection } from '../statements/team-statements.js';
import { type Layout, type PayrollFile, payrollFile, type Scope } from './payroll-layouts.js';
import { type Included, loadTeamExport, type TeamExport, withoutHandedOver } from './team-export.js';

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
  if (layout !== 'generic' || scope === 'new')
    await assertPaidByHandover(tx, (await resolvePeriod(tx, period, clock)).period);
  const everyone = await loadTeamExport(tx, period, clock, selection, included);
  const team = scope === 'full' ? everyone : await withoutHandedOver(tx, everyone);
  return { file: await payrollFile(layout, team, payroll, extended), team };
}

/** In a pay period, batches say what is paid, and make the files for payroll: two files of it could both be paid. */
export async function assertPaidByHandover(tx: Transaction, period: Period): Promise<void> {
  if (!(await isPayPeriod(tx, period))) return;
  throw new Failure(
    'payouts_enabled',
    `${period} is a pay period. Create a payout batch (POST /v1/payout-batches), pay its file, and mark it as paid.`,
    { period },
  );
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
