import { createDemoWorkspace } from '#demo/workspace.js';
import { periodRange } from '#src/kernel/period.js';
import { type BenchService, startBenchService } from './bench-service.js';
import { type Effect, growth, readValue, rowsWritten } from './effects.js';
import { measureOnce, type Table } from './measure.js';

// biome-ignore lint/suspicious/noExplicitAny: results of any shape
type Json = any;
type Call = (tool: string, input?: object) => Promise<Json>;

interface Task {
  readonly name: string;
  /** Before search by name, exceptions and people were tools. A task without it came later and has the {@link budget}. */
  readonly before?: { readonly calls: string; readonly kilobytes: string };
  /** Returns what the task has found. */
  run(call: Call): Promise<Findings>;
  /** The rows that it writes, by table. */
  readonly writes: Readonly<Record<string, number>>;
}

interface Findings {
  /** How many facts the tools returned. */
  readonly found: number;
  /** A query of the same number, in the workspace `$1`. */
  readonly query: string;
}

const budget = { calls: 5, bytes: 15_000 };

/** Nine tasks of agents by script: how many calls each needs, and how much text the results add to the conversation. */
export async function* agents(): AsyncGenerator<Table> {
  await using service = await startBenchService();
  const { apiKey } = await createDemoWorkspace(service.running.service);
  const newest = 'select workspace_id as value from workspaces order by created_at desc limit 1';
  const workspaceId = await readValue<string>(service.owner, newest);
  const rows: string[][] = [];
  for (const task of tasks) {
    const { calls, bytes } = await perform(task, service, { workspaceId, apiKey });
    const { before } = task;
    if (before === undefined && (calls > budget.calls || bytes > budget.bytes))
      throw new Error(`${task.name}: ${calls} calls and ${bytes} bytes are more than the budget`);
    const kilobytes = (bytes / 1000).toFixed(0);
    rows.push([task.name, before?.calls ?? '–', String(calls), before?.kilobytes ?? '–', kilobytes]);
  }
  yield {
    title: 'Tasks of agents',
    columns: ['task', 'calls before', 'calls', 'KB before', 'KB'],
    rows,
    notes: ['Results of tools, on the workspace of the demo.'],
  };
}

async function perform(
  { name, run, writes }: Task,
  service: BenchService,
  { workspaceId, apiKey }: { readonly workspaceId: string; readonly apiKey: string },
) {
  const used = { calls: 0, bytes: 0 };
  let findings: Findings | null = null;
  const call: Call = async (tool, input = {}) => {
    const { text, content } = await callTool(service.url, apiKey, tool, input);
    used.calls += 1;
    used.bytes += Buffer.byteLength(text);
    return content;
  };
  const inDatabase = () => (findings === null ? 1 : readValue<number>(service.owner, findings.query, [workspaceId]));
  const effects: readonly Effect[] = [
    ...Object.entries(writes).map(([table, rows]) =>
      rowsWritten(service.owner, `${table} where workspace_id = $1`, [workspaceId], rows),
    ),
    growth('facts', () => findings?.found ?? 0, inDatabase),
  ];
  await measureOnce({
    name,
    effects,
    run: async () => {
      findings = await run(call);
    },
  });
  return used;
}

async function callTool(url: string, key: string, name: string, input: object) {
  const response = await fetch(`${url}/v1/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
  const { result } = (await response.json()) as Json;
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return { text: result.content[0].text as string, content: result.structuredContent };
}

const config = {
  dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Closed Won' }],
  rules: [{ name: 'New business', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.05 }] }],
};

async function designPlan(call: Call): Promise<Findings> {
  await call('get_workspace');
  await call('list_plan_templates');
  const { reps } = await call('list_reps', { limit: 5 });
  const { id: repId } = reps.find(({ role }: Json) => role === 'rep');
  const simulated = await call('simulate_commissions', { config, period: lastQuarter(), repId });
  await call('create_plan', { name: 'Bench', config, status: 'draft' });
  const { from, to } = periodRange(lastQuarter());
  return {
    found: Math.round(simulated.total * 100),
    query: `select round(sum(round(amount * 0.05, 2)) * 100)::int as value from deals
      where workspace_id = $1 and rep_id = '${repId}' and stage = 'Closed Won' and close_date between '${from}' and '${to}'`,
  };
}

async function explainDeal(call: Call): Promise<Findings> {
  return explain(call, { paid: true });
}

async function explainNothing(call: Call): Promise<Findings> {
  return explain(call, { paid: false, isWon: true });
}

/** Finds every event of the deal, with its trace. */
async function explain(call: Call, filter: object): Promise<Findings> {
  const { deals } = await call('list_deals', { ...filter, limit: 1 });
  const dealId = deals[0].deal_id;
  const { events } = await call('get_commissions', { dealId });
  return {
    found: events.filter(({ trace }: Json) => trace !== undefined).length,
    query: `select count(*)::int as value from commission_events
      where workspace_id = $1 and deal_key = '${dealId}' and status = 'earned'`,
  };
}

async function changeRate(call: Call): Promise<Findings> {
  const { plans } = await call('list_plans', { status: 'active' });
  const [{ planId }] = plans;
  const { config } = await call('get_plan', { planId, detail: 'full' });
  const effectiveStart = '2027-01-01';
  const [first, ...others] = config.rules;
  const [base, ...tiers] = first.tiers;
  const rules = [{ ...first, tiers: [{ ...base, rate: 0.0123 }, ...tiers] }, ...others];
  const change = { planRef: planId, config: { ...config, rules }, effectiveStart };
  await call('preview_plan_change', { ...change, period: lastQuarter(), limit: 20 });
  const { version } = await call('update_plan', change);
  return {
    found: version,
    query: `select max(version)::int as value from plan_versions
      where workspace_id = $1 and plan_id = '${planId}' and effective_start = '${effectiveStart}' and config::text like '%0.0123%'`,
  };
}

async function addRep(call: Call): Promise<Findings> {
  const { reps } = await call('set_people', { reps: [{ email: 'new.rep@demo.example', name: 'New Rep' }] });
  const { plans } = await call('list_plans', { status: 'active' });
  const [{ id }] = reps;
  await call('create_assignments', { repIds: [id], planId: plans[0].planId });
  const { invited } = await call('invite_people', { repIds: [id] });
  return {
    found: invited.length,
    query: `select count(*)::int as value from reps where workspace_id = $1 and rep_id = '${id}' and invite_status = 'invited'`,
  };
}

async function closeQuarter(call: Call): Promise<Findings> {
  const { exceptions } = await call('list_exceptions', { period: lastQuarter() });
  if (exceptions.length === 0) throw new Error('the demo has no exception');
  const { plans } = await call('list_plans', { status: 'draft' });
  const { disputes } = await call('list_disputes');
  const { discrepancies } = await call('list_discrepancies');
  return {
    found: plans.length + disputes.length + discrepancies.length,
    query: `select ((select count(*) from plans where workspace_id = $1 and status = 'draft')
      + (select count(*) from disputes where workspace_id = $1)
      + (select count(*) from discrepancies where workspace_id = $1))::int as value`,
  };
}

/** The statements of the quarter that are approved, and what speaks against the approval of the others. */
async function checkQuarter(call: Call): Promise<Findings> {
  const period = lastQuarter();
  const { reps } = await call('get_commissions', { period });
  await call('list_exceptions', { period });
  await call('list_audit_logs', { outcome: 'failed' });
  await call('list_disputes', { status: 'open' });
  await call('list_discrepancies', { status: 'open' });
  return {
    found: reps.filter(({ statementStatus }: Json) => statementStatus === 'approved').length,
    query: `select count(*)::int as value from statement_periods
      where workspace_id = $1 and period = '${period}' and status = 'approved'`,
  };
}

/** The person who needs the smallest part of the target for the next tier, by the credit that the person has. */
async function findNextTier(call: Call): Promise<Findings> {
  const { reps } = await call('get_commissions', {});
  const quotas = reps.flatMap(({ repId, attainment }: Json) =>
    attainment.filter(({ nextTier }: Json) => Boolean(nextTier)).map((quota: Json) => ({ repId, ...quota })),
  );
  const missing = ({ nextTier, target }: Json) => nextTier.remaining / target;
  const [nearest] = quotas.sort((one: Json, other: Json) => missing(one) - missing(other));
  const { repId, measure, period, through, credit } = nearest;
  return {
    found: Math.round(credit * 100),
    query: `select round(sum(credit) * 100)::int as value from commission_events
      where workspace_id = $1 and rep_id = '${repId}' and attainment_key = '${measure}' and period = '${period}'
        and earned_on <= '${through}' and kind = 'commission_earned' and status = 'earned'`,
  };
}

/** The true-up of a person, with the deal and the change that caused it. */
async function explainTrueUp(call: Call): Promise<Findings> {
  const period = lastQuarter();
  const { reps } = await call('list_reps', { query: 'Dana' });
  const [{ id: repId }] = reps;
  const { closedDeals } = await call('get_commissions', { repId, period });
  const { dealId } = closedDeals.find(({ corrected }: Json) => corrected !== 0);
  const { corrections } = await call('get_commissions', { dealId });
  const own = corrections.filter((correction: Json) => correction.repId === repId);
  return {
    found: Math.round(own.reduce((sum: number, { delta }: Json) => sum + delta, 0) * 100),
    query: `select round(sum(e.amount) * 100)::int as value
      from true_ups t join commission_events e on e.workspace_id = t.workspace_id and e.event_id = t.event_id
      where t.workspace_id = $1 and t.rep_id = '${repId}' and t.period = '${period}'`,
  };
}

const tasks: readonly Task[] = [
  {
    name: 'design a plan from a sentence',
    before: { calls: '13', kilobytes: '36' },
    run: designPlan,
    writes: { plans: 1, plan_versions: 1 },
  },
  { name: 'why a deal paid this', before: { calls: '1', kilobytes: '16' }, run: explainDeal, writes: {} },
  { name: 'why a deal paid nothing', before: { calls: '1', kilobytes: '5' }, run: explainNothing, writes: {} },
  {
    name: 'change a rate from a day on',
    before: { calls: '4–6', kilobytes: '21' },
    run: changeRate,
    writes: { plan_versions: 1 },
  },
  {
    name: 'bring a new rep on',
    before: { calls: 'stuck', kilobytes: '–' },
    run: addRep,
    writes: { reps: 1, assignments: 1 },
  },
  {
    name: 'what is open before the quarter is closed',
    before: { calls: '14', kilobytes: '469' },
    run: closeQuarter,
    writes: {},
  },
  { name: 'check a quarter and its statements', run: checkQuarter, writes: {} },
  { name: 'who is next to a tier', run: findNextTier, writes: {} },
  { name: 'why a true-up was paid', run: explainTrueUp, writes: {} },
];

function lastQuarter(): string {
  const now = new Date();
  const quarter = Math.floor(now.getUTCMonth() / 3);
  return quarter === 0 ? `${now.getUTCFullYear() - 1}-Q4` : `${now.getUTCFullYear()}-Q${quarter}`;
}
