import { register } from 'node:module';
import { ZenEngine } from '@gorules/zen-engine';
import { Engine as RulesEngine } from 'json-rules-engine';
import { compileConditions } from '#src/engine/condition.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { type Deal } from '#src/engine/slug.js';
import * as exactDecimals from '#src/kernel/decimal.js';
import * as floats from './float-decimal.js';
import { alternating, type Contender, count, ratio, type Table } from './measure.js';
import { dealsPerRep, planConfig, quotaTarget, rates, rulesPerDeal } from './sales-year.js';

const repsPerRun = 100;

/** Does not compile if the engine may import what the floats lack. */
const floatDecimals: Record<keyof typeof exactDecimals, unknown> = floats;

/** The engine with exact decimals against the engine with floats, and its conditions against two rules engines. */
export async function engine(): Promise<Table[]> {
  register(new URL('float-hooks.js', import.meta.url));
  return [await engineAgainstFloats(), await conditionsAgainstRulesEngines()];
}

async function engineAgainstFloats(): Promise<Table> {
  const contenders = [
    await calculating('exact, with its trace', ''),
    await calculating('on floats, with its trace', '?floats'),
  ];
  const measured = await alternating(contenders, 5);
  const floats = measured[1]?.median ?? Number.NaN;
  const fired = repsPerRun * dealsPerRep * rulesPerDeal;
  return {
    title: 'Engine, one thread',
    columns: ['', 'deals × rules a second', 'time against floats'],
    rows: measured.map(({ name, median }) => [name, count((fired / median) * 1000), ratio(median / floats)]),
    notes: ['The service never uses floats; they show the cost of exact decimals.'],
  };
}

/** Loads the engine under the mark: without a mark the service's own, with it the one on floats. */
async function calculating(name: string, mark: string): Promise<Contender> {
  const at = (path: string) => new URL(`../src/${path}.js${mark}`, import.meta.url).href;
  const { calculateRep } = (await import(at('engine/calculate'))) as typeof import('#src/engine/calculate.js');
  const { compileVersion } = (await import(
    at('engine/compiled-plan')
  )) as typeof import('#src/engine/compiled-plan.js');
  const { Decimal } = (mark === '' ? exactDecimals : floatDecimals) as typeof exactDecimals;
  const read = readPlanConfig(planConfig(rates));
  if ('issues' in read) throw new Error('the plan of the benchmark is invalid');
  const version = {
    planId: 'plan',
    planVersionId: 'version',
    version: 1,
    effectiveStart: null,
    effectiveEnd: null,
    currency: 'USD',
    fieldMapping: {},
    dealConditions: read.terms.dealConditions,
    rules: read.terms.rules.map((rule, index) => ({ ...rule, id: `rule-${index}` })),
  };
  const quota = { target: Decimal.of(quotaTarget), variableTarget: null };
  const compiled = compileVersion(version, 'rep', new Map(), {}, 'UTC');
  const input = {
    repId: 'rep',
    asOf: '2027-01-01',
    window: { from: '1900-01-01', to: '2199-12-31' },
    plans: [{ planId: 'plan', assignments: [{ start: null, end: null }], versions: [compiled] }],
    deals: madeUpDeals(),
    teamDeals: [],
    fixed: [],
    frozen: [],
    quota: () => quota,
    peerCredits: () => [],
    firstActivity: null,
    explain: false,
  };
  return {
    name,
    run: async () => {
      for (let rep = 0; rep < repsPerRun; rep += 1) {
        const { decisions } = calculateRep(input);
        if (decisions.length !== dealsPerRep * rulesPerDeal) throw new Error('the engine did not pay every deal');
      }
    },
  };
}

function madeUpDeals(): Deal[] {
  return Array.from({ length: dealsPerRep }, (_, index) => {
    const amount = Math.round((500 + ((index * 7919) % 7001)) * 100 + (index % 97)) / 100;
    const closeDate = new Date(Date.UTC(2026, 0, 1 + ((index * 31) % 365))).toISOString().slice(0, 10);
    const segment = ['smb', 'mid', 'enterprise'][index % 3] as string;
    return {
      dealId: `D${index}`,
      closeDate,
      fields: { amount, stage: 'Won', close_date: closeDate, segment, region: `r${index % 7}` },
      standard: { dealAmount: amount, dealStage: 'Won', closeDate, currency: 'USD' },
    };
  });
}

const conditionRounds = 4;

async function conditionsAgainstRulesEngines(): Promise<Table> {
  const deals = madeUpDeals();
  const conditions = compileConditions(
    [
      { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' },
      { field: 'amount', fieldType: 'currency', operator: 'gt', value: 2000 },
      { field: 'segment', fieldType: 'select', operator: 'in', value: ['mid', 'enterprise'] },
    ],
    {},
    {},
    'UTC',
  );
  const rules = new RulesEngine([
    {
      conditions: {
        all: [
          { fact: 'stage', operator: 'equal', value: 'Won' },
          { fact: 'amount', operator: 'greaterThan', value: 2000 },
          { fact: 'segment', operator: 'in', value: ['mid', 'enterprise'] },
        ],
      },
      event: { type: 'passed' },
    },
  ]);
  const zen = new ZenEngine().createDecision(decisionTable);
  const expected = deals.filter((deal) => conditions.passes(deal, deal.closeDate)).length;
  const agreeing = (name: string, passes: (deal: Deal) => boolean | Promise<boolean>, rounds: number): Contender => ({
    name,
    run: async () => {
      const start = performance.now();
      let passed = 0;
      for (let round = 0; round < rounds; round += 1) passed += await countPassing(deals, passes);
      if (passed !== expected * rounds) throw new Error(`${name} passed ${passed} of ${expected * rounds} deals`);
      return (performance.now() - start) / rounds;
    },
  });
  const measured = await alternating(
    [
      agreeing('the engine', (deal) => conditions.passes(deal, deal.closeDate), conditionRounds * 100),
      agreeing('json-rules-engine', async (deal) => (await rules.run(deal.fields)).events.length > 0, conditionRounds),
      agreeing('zen-engine', async (deal) => (await zen.evaluate(deal.fields)).result.passed === true, conditionRounds),
    ],
    5,
  );
  const own = measured[0]?.median ?? Number.NaN;
  return {
    title: 'Three conditions on a deal',
    columns: ['', 'deals a second', 'time against the engine'],
    rows: measured.map(({ name, median }) => [name, count((deals.length / median) * 1000), ratio(median / own)]),
  };
}

/** Awaits only promises: an await of a boolean would cost the synchronous engine more than its conditions. */
async function countPassing(
  deals: readonly Deal[],
  passes: (deal: Deal) => boolean | Promise<boolean>,
): Promise<number> {
  let passed = 0;
  for (const deal of deals) {
    const result = passes(deal);
    if (typeof result === 'boolean' ? result : await result) passed += 1;
  }
  return passed;
}

const decisionTable = {
  nodes: [
    { id: 'in', name: 'in', type: 'inputNode' },
    {
      id: 'table',
      name: 'table',
      type: 'decisionTableNode',
      content: {
        hitPolicy: 'first',
        inputs: [
          { id: 'stage', name: 'stage', field: 'stage' },
          { id: 'amount', name: 'amount', field: 'amount' },
          { id: 'segment', name: 'segment', field: 'segment' },
        ],
        outputs: [{ id: 'passed', name: 'passed', field: 'passed' }],
        rules: [
          { _id: 'yes', stage: '"Won"', amount: '> 2000', segment: '"mid", "enterprise"', passed: 'true' },
          { _id: 'no', stage: '', amount: '', segment: '', passed: 'false' },
        ],
      },
    },
    { id: 'out', name: 'out', type: 'outputNode' },
  ],
  edges: [
    { id: 'first', sourceId: 'in', targetId: 'table', type: 'edge' },
    { id: 'second', sourceId: 'table', targetId: 'out', type: 'edge' },
  ],
};
