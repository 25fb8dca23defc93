import { register } from 'node:module';
import { compileConditions } from '#src/engine/condition.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { type Deal, fieldReader } from '#src/engine/slug.js';
import * as exactDecimals from '#src/kernel/decimal.js';
import { growth } from './effects.js';
import * as floats from './float-decimal.js';
import { alternating, type Contender, count, ratio, type Table } from './measure.js';
import { importPeer, type JsonRulesEngine, type ZenEngineModule } from './peers.js';
import { dealsPerRep, planConfig, quotaTarget, rates, rulesPerDeal } from './sales-year.js';
import { type Size } from './size.js';

const repsPerRun: Readonly<Record<Size, number>> = { quick: 10, small: 100, usual: 100, large: 100 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 5, usual: 5, large: 5 };

/** Does not compile if the engine may import what the floats lack. */
const floatDecimals: Record<keyof typeof exactDecimals, unknown> = floats;

/** The engine with exact decimals against the engine with floats, and its conditions against two rules engines. */
export async function* engine(size: Size): AsyncGenerator<Table> {
  register(new URL('float-hooks.js', import.meta.url));
  yield await engineAgainstFloats(size);
  yield await conditionsAgainstRulesEngines(rounds[size]);
}

async function engineAgainstFloats(size: Size): Promise<Table> {
  const reps = repsPerRun[size];
  const exact = await calculating('exact, with its trace', '', reps);
  const onFloats = await calculating('on floats, with its trace', '?floats', reps);
  const measured = await alternating([exact, onFloats], rounds[size]);
  const [paid, paidOnFloats] = [exact.paid(), onFloats.paid()];
  if (Math.abs(paid - paidOnFloats) > 1) throw new Error(`the engine paid ${paid}, and on floats ${paidOnFloats}`);
  const floats = measured[1]?.median ?? Number.NaN;
  const fired = reps * dealsPerRep * rulesPerDeal;
  return {
    title: 'Engine, one thread',
    columns: ['', 'deals × rules a second', 'time against floats'],
    rows: measured.map(({ name, median }) => [name, count((fired / median) * 1000), ratio(median / floats)]),
    notes: ['The service never uses floats; they show the cost of exact decimals.'],
  };
}

interface Calculating extends Contender {
  /** The commission of a rep in the last run. */
  paid(): number;
}

/** Loads the engine under the mark: without a mark the service's own, with it the one on floats. */
async function calculating(name: string, mark: string, reps: number): Promise<Calculating> {
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
    deals: generateDeals(),
    teamDeals: [],
    fixed: [],
    frozen: [],
    quota: () => quota,
    peerCredits: () => [],
    firstActivity: null,
    explain: false,
  };
  let decided = 0;
  let last: readonly { readonly amount: { toNumber(): number } }[] = [];
  return {
    name,
    effects: [growth('decisions', () => decided, reps * dealsPerRep * rulesPerDeal)],
    paid: () => last.reduce((sum, { amount }) => sum + amount.toNumber(), 0),
    run: async () => {
      for (let rep = 0; rep < reps; rep += 1) {
        last = calculateRep(input).decisions;
        decided += last.length;
      }
    },
  };
}

function generateDeals(): Deal[] {
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

type Passes = (deal: Deal) => boolean | Promise<boolean>;

const repetitions = 4;

async function conditionsAgainstRulesEngines(rounds: number): Promise<Table> {
  const deals = generateDeals();
  const compiled = compileConditions(
    [
      { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' },
      { field: 'amount', fieldType: 'currency', operator: 'gt', value: 2000 },
      { field: 'segment', fieldType: 'select', operator: 'in', value: ['mid', 'enterprise'] },
    ],
    (slug) => fieldReader(slug, {}, {}),
    'UTC',
  );
  const own: Passes = (deal) => compiled.passes(deal, deal.closeDate);
  const expected = await countPassing(deals, own);
  const peers = [
    ['json-rules-engine', await withJsonRulesEngine()],
    ['zen-engine', await withZenEngine()],
  ] as const;
  const measured = await alternating(
    [
      passing('the engine', deals, own, repetitions * 100, expected),
      ...peers.flatMap(([name, passes]) =>
        passes === null ? [] : [passing(name, deals, passes, repetitions, expected)],
      ),
    ],
    rounds,
  );
  const ofEngine = measured[0]?.median ?? Number.NaN;
  return {
    title: 'Three conditions on a deal',
    columns: ['', 'deals a second', 'time against the engine'],
    rows: measured.map(({ name, median }) => [name, count((deals.length / median) * 1000), ratio(median / ofEngine)]),
    notes: peers.flatMap(([name, passes]) => (passes === null ? [`Without ${name}, which is not installed.`] : [])),
  };
}

/** Its figure is the time for all deals once. */
function passing(name: string, deals: readonly Deal[], passes: Passes, times: number, expected: number): Contender {
  let passed = 0;
  return {
    name,
    effects: [growth('passing deals', () => passed, expected * times)],
    run: async () => {
      const start = performance.now();
      for (let time = 0; time < times; time += 1) passed += await countPassing(deals, passes);
      return (performance.now() - start) / times;
    },
  };
}

async function withJsonRulesEngine(): Promise<Passes | null> {
  const peer = await importPeer<JsonRulesEngine>('json-rules-engine');
  if (peer === null) return null;
  const rules = new peer.Engine([
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
  return async (deal) => (await rules.run(deal.fields)).events.length > 0;
}

async function withZenEngine(): Promise<Passes | null> {
  const peer = await importPeer<ZenEngineModule>('@gorules/zen-engine');
  if (peer === null) return null;
  const zen = new peer.ZenEngine().createDecision(decisionTable);
  return async (deal) => (await zen.evaluate(deal.fields)).result.passed === true;
}

/** Awaits only promises: an await of a boolean would cost the synchronous engine more than its conditions. */
async function countPassing(deals: readonly Deal[], passes: Passes): Promise<number> {
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
