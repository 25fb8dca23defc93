import { readFileSync } from 'node:fs';
import { type Client } from '../../client.js';
import { readValue } from '../../kernel/invalid-values.js';
import { planTerms, readPlanFx } from '../../plans/plan.js';
import { planTests } from '../../plans/plan-tests.js';
import { runTests } from '../../plans/run-tests.js';
import {
  computeChange,
  findServerPlan,
  formatFailure,
  listServerPlans,
  normalize,
  type ServerPlan,
  type ServerPreview,
  type ServerTestResult,
  toPlanFile,
} from './plan-client.js';
import { type PlanFile, readPlanFile } from './plan-file.js';
import {
  createServerClient,
  forEachFile,
  formatChange,
  money,
  type PullOptions,
  printDiffs,
  reporting,
  type ServerOptions,
  signed,
  writePulled,
} from './server-files.js';
import { UsageError } from './usage-error.js';
import { type FileChange, FileError, listChanges } from './yaml-file.js';

interface PeriodOptions {
  readonly period?: string;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** Writes a plan (name or id), or every plan, to files. Comments of existing files stay. */
export async function pullPlans(name: string | undefined, options: ServerOptions & PullOptions): Promise<void> {
  if (name === undefined && options.out !== undefined) throw new UsageError('--out needs the name of a plan');
  await reporting(() => pull(createServerClient(options), name, options));
}

/** Creates plans from files, or changes them. A plan that is equal to its file is not changed. */
export async function pushPlans(
  files: readonly string[],
  options: ServerOptions & { readonly force?: boolean },
): Promise<void> {
  await reporting(async () => {
    const client = createServerClient(options);
    for (const file of files) await reporting(() => push(client, file, options.force === true), `${file}: `);
  });
}

/** Shows what a push would change. The exit code is 1 if it would change anything. */
export async function diffPlans(files: readonly string[], options: ServerOptions & PeriodOptions): Promise<void> {
  await printDiffs(files, options, (client, file) => diff(client, file, options), formatDiff);
}

/** Runs the tests of files. The exit code is 1 if one fails. */
export async function testPlans(
  files: readonly string[],
  options: ServerOptions & { readonly json?: boolean },
): Promise<void> {
  await reporting(async () => {
    const client = createServerClient(options);
    const { results, problems } = await forEachFile(files, async (file) => ({
      file,
      result: await test(client, file),
    }));
    const lines = results.map(({ file, result }) => formatTestResult(file, result));
    process.stdout.write(options.json === true ? `${JSON.stringify(results)}\n` : lines.join(''));
    process.exitCode = results.every(({ result }) => result.passed) ? 0 : 1;
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
  });
}

async function pull(client: Client, name: string | undefined, options: PullOptions): Promise<void> {
  const plans = name === undefined ? await listServerPlans(client) : [await requirePlan(client, name)];
  for (const plan of plans)
    writePulled(plan.name, toPlanFile(plan), name === undefined ? { ...options, out: undefined } : options);
}

async function requirePlan(client: Client, name: string): Promise<ServerPlan> {
  const plan = await findServerPlan(client, name);
  if (plan === null) throw new FileError(`there is no plan ${name}`);
  return plan;
}

function read(file: string): PlanFile {
  return normalize(readPlanFile(readFileSync(file, 'utf8'), file));
}

/** Statuses other than active stop the plan first, so that nothing is paid in between. */
async function push(client: Client, file: string, force: boolean): Promise<void> {
  const desired = read(file);
  const stored = await findServerPlan(client, desired.name);
  if (stored === null) {
    const created = await client.createPlan({ body: { ...desired, force } as never });
    process.stdout.write(`${file}: created ${created.name}, version 1\n`);
    return;
  }
  const { planId, planVersionId, planStatus } = stored;
  const change = computeChange(toPlanFile(stored), desired);
  const status = desired.status === undefined || desired.status === planStatus ? null : desired.status;
  const setStatus = () => client.setPlanStatus({ params: { planRef: planId }, body: { status, force } as never });
  if (status !== null && status !== 'active') await setStatus();
  const changed =
    Object.keys(change).length === 0
      ? stored
      : await client.updatePlan({ params: { planRef: planVersionId }, body: { ...change, force } as never });
  if (status === 'active') await setStatus();
  const what = [...Object.keys(change), ...(status === null ? [] : ['status'])];
  process.stdout.write(
    what.length === 0
      ? `${file}: no change\n`
      : `${file}: changed ${what.join(', ')} of ${stored.name}, version ${changed.version}\n`,
  );
}

interface FileDiff {
  readonly file: string;
  readonly plan: string;
  readonly changes: readonly FileChange[];
  /** It is absent if nothing changes, or if the plan does not exist yet. */
  readonly preview?: ServerPreview;
  /** It is present for a plan that does not exist yet. */
  readonly tests?: ServerTestResult;
}

async function diff(client: Client, file: string, options: PeriodOptions): Promise<FileDiff> {
  const desired = read(file);
  const stored = await findServerPlan(client, desired.name);
  if (stored === null)
    return {
      file,
      plan: desired.name,
      changes: [{ path: '', before: undefined, after: desired }],
      tests: await runLocally(desired),
    };
  const before = toPlanFile(stored);
  const after: PlanFile = { ...desired, name: stored.name, status: desired.status ?? stored.planStatus };
  const changes = listChanges(before, after);
  if (changes.length === 0) return { file, plan: stored.name, changes };
  const days =
    options.period === undefined
      ? { from: options.from ?? '1900-01-01', to: options.to ?? '2199-12-31' }
      : { period: options.period };
  const change = computeChange(before, after);
  const status = after.status === stored.planStatus ? {} : { status: after.status };
  const planRef = after.status === stored.planStatus ? stored.planVersionId : stored.planId;
  const started = await client.previewPlanChange({
    params: { planRef },
    body: { ...change, ...status, ...days, limit: 10 } as never,
  });
  return { file, plan: stored.name, changes, preview: await waitForPreview(client, stored.planId, started) };
}

const pollMs = 2000;

async function waitForPreview(client: Client, planRef: string, started: ServerPreview): Promise<ServerPreview> {
  const { jobId } = started;
  for (let preview = started; ; ) {
    if (preview.status === 'completed') return preview;
    if (preview.status === 'failed') throw new FileError(`the preview failed: ${preview.error}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    preview = await client.getPlanPreview({ params: { planRef, jobId }, query: { limit: '10' } });
  }
}

async function test(client: Client, file: string): Promise<ServerTestResult> {
  const desired = read(file);
  const stored = await findServerPlan(client, desired.name);
  if (stored === null) return runLocally(desired);
  const { config, tests = [], currency = null, fx = null, fieldMapping = null } = desired;
  const body = { config, tests, currency, fx, fieldMapping };
  return client.runPlanTests({ params: { planRef: stored.planId }, body: body as never });
}

/** Runs the tests of a plan that the server does not have, without the field mapping of a workspace. */
async function runLocally({ config, tests = [], currency, fx = null }: PlanFile): Promise<ServerTestResult> {
  const readTests = readValue(planTests, tests, ['tests']);
  if ('issues' in readTests) throw new FileError(describeIssues(readTests.issues));
  const readFx = readPlanFx(fx);
  if ('issues' in readFx) throw new FileError(describeIssues(readFx.issues));
  const plan = {
    terms: planTerms(config),
    currency: currency ?? 'USD',
    fx: readFx.value,
    rates: { workspaceCurrency: currency ?? 'USD', maxAgeDays: null, currencyFields: [] },
    fieldMapping: {},
    measures: {},
    fiscalYears: [],
    deals: { timeZone: 'UTC', standard: {} },
  };
  return (await runTests(plan, readTests.value)) as ServerTestResult;
}

function describeIssues(issues: readonly { readonly path: string; readonly message: string }[]): string {
  return issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function formatTestResult(file: string, { passed, tests, failed }: ServerTestResult): string {
  const head =
    tests === 0
      ? 'no tests'
      : passed
        ? `${tests} passed`
        : `${failed.length} expectation${failed.length === 1 ? '' : 's'} failed`;
  return [`${file}: ${head}`, ...failed.map((failure) => `  ${formatFailure(failure)}`), ''].join('\n');
}

function formatDiff({ file, plan, changes, preview, tests }: FileDiff): string {
  if (changes.length === 0) return `${file}: no change\n`;
  if (tests !== undefined) return `${file}: creates the plan ${plan}\n${formatTestResult(file, tests)}`;
  const lines = [
    `${file}: changes the plan ${plan}`,
    ...changes.map((change) => `  ${formatChange(change)}`),
    ...(preview === undefined ? [] : previewLines(preview).map((line) => `  ${line}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function previewLines({
  currency,
  before,
  after,
  delta,
  otherCurrencies = [],
  byRep = [],
  refunds = [],
  count,
  locked = [],
  warnings = [],
  overridesDropped = [],
  testsPassed,
}: ServerPreview): string[] {
  const moved = byRep.filter((rep) => rep.delta !== 0);
  return [
    ...[{ currency, before, after, delta }, ...otherCurrencies].map(
      (total) => `commission: ${movement(total)}, ${count} ${count === 1 ? 'deal' : 'deals'}`,
    ),
    ...moved.slice(0, 10).map((rep) => `  ${rep.name}: ${movement(rep)}`),
    ...(moved.length > 10 ? [`  and ${moved.length - 10} more people`] : []),
    ...refunds.slice(0, 10).map((rep) => `  refunds of ${rep.name}: ${movement(rep)}`),
    ...locked.map(
      (period) =>
        `approved ${period.period} of ${period.name} would owe ${signed(period.delta, period.currency)} ${period.currency}`,
    ),
    ...overridesDropped.map(
      (override) => `drops the override of ${override.repName} for ${override.ruleName} (${override.reason})`,
    ),
    ...(testsPassed === undefined ? [] : [`tests: ${testsPassed ? 'passed' : 'FAILED'}`]),
    ...warnings.map(({ code, message }) => `${code}: ${message}`),
  ];
}

interface Movement {
  readonly currency?: string | undefined;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly delta?: number | undefined;
}

function movement({ currency = '', before = 0, after = 0, delta = 0 }: Movement): string {
  return `${money(before, currency)} → ${money(after, currency)} ${currency} (${signed(delta, currency)})`;
}
