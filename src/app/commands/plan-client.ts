import { type CallAnswer, type Client } from '../../client.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type operations } from '../../operations.js';
import { type PlanFile } from './plan-file.js';
import { sortKeys } from './yaml-file.js';

type Declared = (typeof operations)[number];
type ResponseOf<Id extends Declared['id']> = CallAnswer<Extract<Declared, { readonly id: Id }>>;
export type ServerPlan = ResponseOf<'getPlan'>;
export type ServerPreview = ResponseOf<'previewPlanChange'>;
export type ServerTestResult = ResponseOf<'runPlanTests'>;

/** The plan of that name (in any case) or id; null if there is none. */
export async function findServerPlan(client: Client, plan: string): Promise<ServerPlan | null> {
  const found = (await listServerPlans(client)).find(
    ({ name, planId }) => planId === plan.toLowerCase() || name.toLowerCase() === plan.trim().toLowerCase(),
  );
  return found ?? null;
}

/** Every plan that is not deleted, as the version that starts last: a file describes the plan as it is going to be. */
export async function listServerPlans(client: Client): Promise<ServerPlan[]> {
  const plans = await client.listPlans({ query: {} });
  return mapInParallel(plans, async (plan) => {
    const last = plan.timeline.at(-1);
    if (last === undefined || last.planVersionId === plan.planVersionId) return plan;
    return client.getPlan({ params: { planId: last.planVersionId } });
  });
}

/** The plan as a file. What is not set is left out. */
export function toPlanFile(plan: ServerPlan): PlanFile {
  const { name, planStatus, effectiveStart, effectiveEnd, currency, fx, fieldMapping, config, tests } = plan;
  return normalize({
    name,
    status: planStatus,
    effectiveStart,
    effectiveEnd,
    currency,
    fx: fx as PlanFile['fx'],
    fieldMapping,
    config,
    tests: tests as PlanFile['tests'],
  });
}

/** Omits empty parts, and moves the dates beside the config, where the server reads them too. */
export function normalize({ config, tests, fieldMapping, ...plan }: PlanFile): PlanFile {
  const { version: _, effectiveStart, effectiveEnd, ...terms } = config;
  const whole = {
    ...plan,
    effectiveStart: plan.effectiveStart ?? (effectiveStart as string | null | undefined),
    effectiveEnd: plan.effectiveEnd ?? (effectiveEnd as string | null | undefined),
    fieldMapping: fieldMapping === null || Object.keys(fieldMapping ?? {}).length === 0 ? undefined : fieldMapping,
    config: terms,
    tests: tests === undefined || tests.length === 0 ? undefined : tests,
  };
  return sortKeys(
    Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined && value !== null)),
  ) as PlanFile;
}

/** The fields of a PATCH that make the plan equal to the file; empty if it is. The status has its own call. */
export function computeChange(stored: PlanFile, file: PlanFile): Record<string, unknown> {
  const values = ({
    effectiveStart = null,
    effectiveEnd = null,
    currency = null,
    fx = null,
    fieldMapping = null,
    config,
    tests = [],
  }: PlanFile) => ({
    effectiveStart,
    effectiveEnd,
    currency,
    fx,
    fieldMapping,
    config,
    tests,
  });
  const [before, after] = [values(stored), values(file)] as [Record<string, unknown>, Record<string, unknown>];
  return Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => JSON.stringify(sortKeys(before[key])) !== JSON.stringify(sortKeys(value)),
    ),
  );
}

/** One expectation that does not hold. */
export function formatFailure({
  name,
  ruleName,
  dealId,
  period,
  rep,
  expected,
  actual,
  unpaid,
}: ServerTestResult['failed'][number]): string {
  const what = [ruleName ?? 'total', dealId, period, rep].filter((part) => part !== null && part !== undefined);
  const reasons = new Set(unpaid.map(({ reason }) => reason).filter((reason) => reason !== null));
  const why = reasons.size === 0 ? '' : ` (${[...reasons].join(', ')})`;
  return `${name}: ${what.join(', ')}: expected ${expected}, but the plan pays ${actual}${why}`;
}
