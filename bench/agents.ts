import { createDemoWorkspace } from '#demo/workspace.js';
import { startBenchService } from './bench-service.js';
import { type Table } from './measure.js';

// biome-ignore lint/suspicious/noExplicitAny: results of any shape
type Json = any;
type Call = (tool: string, given?: object) => Promise<Json>;

/** The same tasks before search by name, exceptions and people were tools. */
const before: readonly (readonly [task: string, calls: string, kilobytes: string])[] = [
  ['design a plan from a sentence', '13', '36'],
  ['why a deal paid this', '1', '16'],
  ['why a deal paid nothing', '1', '5'],
  ['change a rate from a day on', '4–6', '21'],
  ['bring a new rep on', 'stuck', '–'],
  ['what is open before the quarter is closed', '14', '469'],
];

/** Six tasks of agents by script: how many calls each needs, and how much text the results add to the conversation. */
export async function agents(): Promise<Table[]> {
  await using service = await startBenchService();
  const { apiKey } = await createDemoWorkspace(service.running.service);
  const rows: string[][] = [];
  for (const [index, [task, calls, kilobytes]] of before.entries()) {
    const used = { calls: 0, bytes: 0 };
    await (tasks[index] as (typeof tasks)[number])(async (tool, given = {}) => {
      const { text, content } = await callTool(service.url, apiKey, tool, given);
      used.calls += 1;
      used.bytes += Buffer.byteLength(text);
      return content;
    });
    rows.push([task, calls, String(used.calls), kilobytes, (used.bytes / 1000).toFixed(0)]);
  }
  const columns = ['task', 'calls before', 'calls', 'KB before', 'KB'];
  return [{ title: 'Tasks of agents', columns, rows, notes: ['Results of tools, on the workspace of the demo.'] }];
}

async function callTool(url: string, key: string, name: string, given: object) {
  const response = await fetch(`${url}/v1/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  const { result } = (await response.json()) as Json;
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return { text: result.content[0].text as string, content: result.structuredContent };
}

/** In the order of the table. */
const tasks: readonly ((call: Call) => Promise<void>)[] = [
  designPlan,
  explainDeal,
  explainNothing,
  changeRate,
  addRep,
  closeQuarter,
];

const config = {
  dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
  rules: [{ name: 'New business', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.05 }] }],
};

async function designPlan(call: Call): Promise<void> {
  await call('get_workspace');
  await call('list_plan_templates');
  const { reps } = await call('list_reps', { limit: 5 });
  await call('simulate_commissions', { config, period: lastQuarter(), repId: reps[0].id });
  await call('create_plan', { name: 'Bench', config, status: 'draft' });
}

async function explainDeal(call: Call): Promise<void> {
  const { deals } = await call('list_deals', { paid: true, limit: 1 });
  await call('get_commissions', { dealId: deals[0].deal_id });
}

async function explainNothing(call: Call): Promise<void> {
  const { deals } = await call('list_deals', { paid: false, isWon: true, limit: 1 });
  await call('get_commissions', { dealId: deals[0].deal_id });
}

async function changeRate(call: Call): Promise<void> {
  const { plans } = await call('list_plans', { status: 'active' });
  const [{ planId }] = plans;
  const plan = await call('get_plan', { planId, detail: 'full' });
  const effectiveStart = '2027-01-01';
  const change = { planRef: planId, config: plan.config, effectiveStart };
  await call('preview_plan_change', { ...change, period: lastQuarter(), limit: 20 });
  await call('update_plan', change);
}

async function addRep(call: Call): Promise<void> {
  const { reps } = await call('set_people', { reps: [{ email: 'new.rep@demo.example', name: 'New Rep' }] });
  const { plans } = await call('list_plans', { status: 'active' });
  const [{ id }] = reps;
  await call('create_assignments', { repIds: [id], planId: plans[0].planId });
  await call('invite_people', { repIds: [id] });
}

async function closeQuarter(call: Call): Promise<void> {
  await call('list_exceptions', { period: lastQuarter() });
  await call('list_plans', { status: 'draft' });
  await call('list_disputes');
  await call('list_discrepancies');
}

function lastQuarter(): string {
  const now = new Date();
  const quarter = Math.floor(now.getUTCMonth() / 3);
  return quarter === 0 ? `${now.getUTCFullYear() - 1}-Q4` : `${now.getUTCFullYear()}-Q${quarter}`;
}
