import { recordAuditEntry } from '../audit/audit-entry.js';
import { type PlanFx } from '../engine/plan-fx.js';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { fiscalYearsColumn } from '../ledger/input/calendar.js';
import { loadRateRules } from '../ledger/input/exchange-rates.js';
import { canonicalFieldMapping } from '../ledger/input/field-mapping.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { planTerms } from './plan.js';
import { type StoredPlan, type VersionRow } from './plan-store.js';
import { type PlanTest, type TestResult } from './plan-tests.js';
import { runTests } from './run-tests.js';

/** The parts of a version that its tests check. */
interface TestedVersion {
  readonly config: unknown;
  readonly currency: string | null;
  readonly fx: PlanFx | null;
  readonly fieldMapping: Readonly<Record<string, unknown>> | null;
  readonly tests: readonly PlanTest[];
}

/** Runs the tests as the workspace reads its deals. */
export async function runVersionTests(
  tx: Transaction,
  { config, currency, fx, fieldMapping, tests }: TestedVersion,
): Promise<TestResult> {
  if (tests.length === 0) return { passed: true, tests: 0, failed: [] };
  const workspace = await tx.db
    .selectFrom('workspaces')
    .select(['currency', 'timezone', 'field_mapping'])
    .select(fiscalYearsColumn(tx).as('fiscal_years'))
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const { standard, measures } = workspace.field_mapping;
  const plan = {
    terms: planTerms(config),
    currency: currency ?? workspace.currency,
    fx,
    rates: { workspaceCurrency: workspace.currency, ...(await loadRateRules(tx)) },
    fieldMapping: canonicalFieldMapping(fieldMapping),
    measures,
    fiscalYears: workspace.fiscal_years,
    deals: { timeZone: workspace.timezone, standard },
  };
  return runTests(plan, tests);
}

type DatedState = Pick<StoredPlan, 'status' | 'versions'>;

/** The versions that pay after the change and did not before, or whose tests have changed. */
function activated(before: DatedState | null, after: DatedState): VersionRow[] {
  if (after.status !== 'active') return [];
  return after.versions.filter((version) => {
    const known = before?.versions.find(({ planVersionId }) => planVersionId === version.planVersionId);
    const wasActive = before?.status === 'active' && known?.status === 'active';
    return version.status === 'active' && !(wasActive && known.tests === version.tests);
  });
}

/**
 * Rejects a change that makes a version active whose tests fail. With `force` it is made nevertheless, and the audit log
 * says so. The tests run also when no version becomes active, so that a test with a mistake is never stored.
 */
export async function assertTestsPass(
  tx: Transaction,
  caller: Caller,
  before: DatedState | null,
  after: DatedState,
  { force, changed }: { readonly force: boolean; readonly changed: VersionRow | null },
): Promise<void> {
  const active = activated(before, after);
  if (changed !== null && !active.includes(changed)) await runVersionTests(tx, changed);
  for (const version of active) {
    const { passed, failed } = await runVersionTests(tx, version);
    if (passed) continue;
    if (!force) throw testsFailed(failed);
    const { planId, planVersionId } = version;
    await recordAuditEntry(tx, caller, {
      trigger: 'plan_tests_forced',
      scope: 'plan',
      details: { planId, planVersionId, failed: failed.length },
    });
  }
}

const maxListed = 20;

function testsFailed(failed: TestResult['failed']): Failure {
  const names = [...new Set(failed.map(({ name }) => name))];
  return new Failure(
    'plan_tests_failed',
    `${failed.length === 1 ? 'An expectation' : `${failed.length} expectations`} of the tests ${names.join(', ')} did not hold, so the version cannot become active. Correct the config or the tests, or send force: true.`,
    { failed: failed.slice(0, maxListed) },
  );
}
