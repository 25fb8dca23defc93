import { sql } from 'kysely';
import { type Clock } from '../../kernel/clock.js';
import { currentDay } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type FrozenPeriod, loadRepTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type ApprovedPeriod, calculateOwedByPeriod, type Owed } from '../owed.js';
import { lockRep } from '../rep-lane.js';
import { type Summary } from '../snapshot.js';
import {
  loadEarlierCauses,
  loadPendingChanges,
  nameFacts,
  pendingCauses,
  toCause,
  withoutConsequences,
} from './check-causes.js';
import { type Cause } from './discrepancy-tables.js';
import { saveComparison } from './record-discrepancies.js';

/** A rep's stored checks with the result of the dry run. */
interface Checked {
  readonly checkIds: readonly string[];
  readonly periods: readonly CheckedPeriod[];
}

interface CheckedPeriod extends ApprovedPeriod {
  /** The version of the statement's row that the dry run read. */
  readonly rowVersion: string;
  readonly owed: Owed;
  readonly causes: readonly Cause[];
}

const maxTries = 3;

/**
 * Compares approved periods with a new calculation and updates the list of discrepancies. Reading may take seconds for a
 * manager of many reps, so it holds no lock: the result is stored only if no other worker has carried out one of the
 * checks meanwhile and no statement has changed. A change after the reading stores its own check.
 */
export class PeriodChecker {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Carries out the rep's checks. After several conflicts the rest is left to the sweep. */
  async run(workspaceId: string, repId: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const checked = await this.unitOfWork.run(
        { workspaceId },
        { lock: 'none', access: 'read', isolation: 'repeatable read' },
        (tx) => compare(tx, repId, this.clock.now()),
      );
      if (checked === null) return;
      await failpoint('check.afterRead');
      try {
        await this.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
          store(tx, repId, checked, this.clock.now()),
        );
        return;
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
      }
    }
  }

  /** After a failure, other reps' checks come first for a while. */
  async postpone(workspaceId: string, repId: string): Promise<void> {
    await this.unitOfWork.write({ workspaceId }, (tx) =>
      sql`update period_checks set not_before = now() + interval '10 seconds'
        where workspace_id = ${workspaceId} and rep_id = ${repId}`.execute(tx.db),
    );
  }
}

/** Another transaction has changed what the result depends on. */
class Outdated extends Error {}

/** Null if the rep has no checks. Checks of periods that are not approved have no result. */
async function compare(tx: Transaction, repId: string, at: Date): Promise<Checked | null> {
  const checks = await tx.db
    .selectFrom('period_checks')
    .select(['check_id', 'period', 'causes', 'requested_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .orderBy('check_id')
    .execute();
  if (checks.length === 0) return null;
  const terms = await loadRepTerms(tx, repId);
  const byPeriod = groupBy(checks, ({ period }) => period);
  const frozen = terms.frozen.filter(({ period }) => byPeriod.has(period));
  const approved = await listApproved(tx, repId, frozen);
  const owed = await calculateOwedByPeriod(tx, terms, approved, currentDay(terms.workspace, at));
  const pending = await loadPendingChanges(tx, terms);
  const earlier = await loadEarlierCauses(tx, repId);
  return {
    checkIds: checks.map(({ check_id: id }) => id),
    periods: approved.map((period, index) => ({
      ...period,
      owed: owed[index] as Owed,
      causes: withoutConsequences(
        nameFacts(
          [
            ...(byPeriod.get(period.frozen.period) ?? []).flatMap(({ causes, requested_at: requested }) =>
              causes.map((cause) => toCause(cause, requested)),
            ),
            ...pendingCauses(pending, period.frozen.range, at),
          ],
          earlier.filter(({ to }) => to < period.frozen.range.from),
        ),
      ),
    })),
  };
}

/** The approved statements of the periods without their lines. */
async function listApproved(
  tx: Transaction,
  repId: string,
  frozen: readonly FrozenPeriod[],
): Promise<(ApprovedPeriod & Pick<CheckedPeriod, 'rowVersion'>)[]> {
  if (frozen.length === 0) return [];
  const { rows } = await sql<{
    period: string;
    rowVersion: string;
    currency: string;
    summary: Summary;
    otherCurrencies: ApprovedPeriod['statement']['otherCurrencies'];
  }>`
    select h.period, h.xmin::text as "rowVersion", s.currency, s.summary, s.other_currencies as "otherCurrencies"
    from statement_periods h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.approved_version
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId}
      and h.period = any(${frozen.map(({ period }) => period)}::text[])`.execute(tx.db);
  const found = new Map(rows.map((row) => [row.period, row]));
  return frozen.flatMap((period) => {
    const row = found.get(period.period);
    return row === undefined ? [] : { frozen: period, rowVersion: row.rowVersion, statement: row };
  });
}

/** Every approval, true-up and carry-forward updates the statement's row, and so its version, under the rep's lane. */
async function store(tx: Transaction, repId: string, { checkIds, periods }: Checked, at: Date): Promise<void> {
  tx.markAffected([repId]);
  await lockRep(tx, repId);
  const { rows } = await sql<{ period: string; rowVersion: string }>`
    select period, xmin::text as "rowVersion" from statement_periods
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId}
      and period = any(${periods.map(({ frozen }) => frozen.period)}::text[])`.execute(tx.db);
  const versions = new Map(rows.map((row) => [row.period, row.rowVersion]));
  if (periods.some(({ frozen, rowVersion }) => versions.get(frozen.period) !== rowVersion)) throw new Outdated();
  const { numAffectedRows } = await sql`
    delete from period_checks where workspace_id = ${tx.workspaceId} and rep_id = ${repId}
      and check_id = any(${checkIds}::bigint[])`.execute(tx.db);
  if (Number(numAffectedRows) !== checkIds.length) throw new Outdated();
  for (const { frozen, owed, causes } of periods)
    await saveComparison(tx, { repId, period: frozen.period }, owed, causes, at);
}
