import { expect } from 'chai';
import { decodeTrace } from '#src/engine/trace.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';
import { describeLineExamples } from '../engine/lines-examples.js';
import { run, type Scenario } from '../engine/scenario.js';

type Decisions = ReturnType<typeof run>['decisions'];
// biome-ignore lint/suspicious/noExplicitAny: responses
type Loose = any;

/** Lines without an amount come from a CRM only: test/integrations/crm-lines.test.ts, test/commissions/line-exceptions.test.ts. */
const isOfApi = ({ lines = {} }: Scenario) =>
  Object.values(lines)
    .flat()
    .every(({ amount }) => amount !== null);

/** The people of an example: Ann is paid; the others own deals, compete with her, or sell in her team. */
interface Stage {
  readonly workspace: Workspace;
  readonly ann: string;
  readonly bob: string;
  readonly cy: string;
}

/** Stores everything that the scenario assumes, each by its own request. */
async function store({ workspace, ann, bob, cy }: Stage, scenario: Scenario): Promise<void> {
  const { api } = workspace;
  const { person, rates = [], tables = [], currency = 'USD', quotas = {}, credits = {}, refunds = {} } = scenario;
  if (person?.hireDate != null) await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { hireDate: person.hireDate });
  for (const rate of rates) {
    const [from, to, day, value] = rate.split(' ');
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from, to, day, rate: value }] });
  }
  for (const { name, ...content } of tables) await api.expect(200, 'PUT', `/v1/rate-tables/${name}`, content);
  for (const [slug, values] of Object.entries(person?.fields ?? {}))
    await api.expect(200, 'PUT', `/v1/reps/${ann}/fields/${slug}`, { values });
  const fx = scenario.rates === undefined ? {} : { fx: { date: 'close_date' } };
  const plan = await api.createPlan({ name: 'Plan', currency, ...fx, config: scenario.config }, [ann]);
  for (const [key, { target, variableTarget }] of Object.entries(quotas)) {
    const [, name = '', period = ''] = /^(.*) (\S+)$/.exec(key) ?? [];
    const planRuleId = plan.rules.find((rule: Loose) => rule.name === name || rule.quotaGroup === name)?.id;
    if (planRuleId === undefined) continue;
    const more = variableTarget === undefined ? {} : { variableTarget };
    await api.expect(201, 'POST', '/v1/quotas', { repIds: [ann], planRuleId, period, target, ...more });
  }
  for (const tiers of scenario.overrides?.values() ?? []) {
    const [{ id: ruleId }] = plan.rules;
    await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${ann}`, { rules: [{ ruleId, tiers }] });
  }
  const deal = async (text: string, owner: string, shares: readonly object[] = []) => {
    const [dealId = '', closeDate, amount, extra = ''] = text.split('|').map((cell) => cell.trim());
    const pairs = extra.split(',').filter((pair) => pair.includes('='));
    await api.putDeal(dealId, {
      ...(amount === '' ? {} : { amount: Number(amount) }),
      closeDate,
      ownerId: owner,
      fields: Object.fromEntries(pairs.map((pair) => pair.split('=').map((part) => part.trim()))),
      ...(scenario.dealCurrency === undefined ? {} : { currency: scenario.dealCurrency }),
      ...(scenario.lines?.[dealId] === undefined ? {} : { lines: sentLines(scenario.lines[dealId]) }),
    });
    if (shares.length > 0) await api.expect(200, 'PUT', `/v1/deals/${dealId}/credits`, { credits: shares });
  };
  const texts = (deals: string) => deals.split('\n').filter((text) => text.trim() !== '');
  for (const text of texts(scenario.deals)) {
    const shares = credits[text.split('|')[0]?.trim() ?? ''] ?? [];
    const sent = shares.map(({ kind, percent }) => ({ repId: ann, kind, percent: Number(percent) }));
    const rest = 100 - sent.reduce((sum, { kind, percent }) => sum + (kind === 'split' ? percent : 0), 0);
    const ofOwner = rest === 0 ? [] : [{ repId: bob, kind: 'split', percent: Number(rest.toFixed(6)) }];
    await deal(text, sent.length === 0 ? 'ann' : 'bob', sent.length === 0 ? [] : [...sent, ...ofOwner]);
  }
  for (const [index, amount] of (scenario.peerCredits ?? []).entries()) {
    if (index === 0) await api.assign([bob], plan.planId);
    await api.putDeal(`peer ${index}`, {
      amount,
      closeDate: '2026-02-10',
      ownerId: 'bob',
      lines: [{ lineId: '1', family: 'software', amount }],
    });
  }
  if (scenario.team !== undefined) {
    await api.expect(200, 'PATCH', `/v1/reps/${bob}`, { managerId: ann, managerFrom: '2026-01-01' });
    const [earned] = scenario.team.upstream('D');
    const rule = { name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
    if (earned !== undefined && !earned.amount.isZero())
      await api.createPlan({ name: 'Sellers', config: { rules: [rule] } }, [bob]);
    const halves = [bob, cy].map((repId) => ({ repId, kind: 'split', percent: 50 }));
    for (const text of texts(scenario.team.deals)) await deal(text, 'bob', earned?.share == null ? [] : halves);
  }
  for (const [dealId, all] of Object.entries(refunds))
    for (const { refundId, day, cause, amount, lines, waivers } of all) {
      const path = `/v1/deals/${dealId}/refunds/${refundId}`;
      const named = lines?.map(({ lineId, amount: part }) => ({
        lineId,
        ...(part === null ? {} : { amount: Number(part) }),
      }));
      await api.expect(200, 'PUT', path, {
        day,
        cause,
        ...(amount === null ? {} : { amount: Number(amount) }),
        ...(named === undefined ? {} : { lines: named }),
      });
      for (const { percent } of waivers)
        await api.expect(200, 'POST', `${path}/waive`, { repId: ann, percent: Number(percent), reason: 'Waived' });
    }
  await workspace.calculated();
}

/** The lines as people send them: numbers, and what is absent left out. */
function sentLines(lines: NonNullable<Scenario['lines']>[string]): object[] {
  return lines.map((line) => Object.fromEntries(Object.entries(line).filter(([, value]) => value != null)));
}

interface Paid {
  readonly amount: number;
  readonly credit: number;
  readonly tierName: string | null;
  readonly category: string;
  readonly lines: readonly (number | null)[];
}

const keyOf = ({ ruleName, dealId, refundId, period }: Loose) =>
  `${ruleName} ${dealId === null ? period : refundId === undefined ? dealId : `refund:${dealId}:${refundId}`}`;

/** What Ann earns, as two requests answer it: the events, and by deal what each line shows. */
async function readPaid({ workspace, ann }: Stage): Promise<Record<string, Paid>> {
  const { api } = workspace;
  await workspace.inFeeds();
  const { events } = await api.expect(200, 'GET', `/v1/commission-events?repId=${ann}`);
  const earned = events.filter(({ status }: Loose) => status === 'earned');
  const dealIds = new Set<string>(earned.flatMap(({ dealId }: Loose) => dealId ?? []));
  const shown = new Map<string, readonly number[]>();
  for (const dealId of dealIds) {
    const ofDeal = await api.expect(200, 'GET', `/v1/commissions?dealId=${encodeURIComponent(dealId)}`);
    for (const event of ofDeal.events)
      if (event.repId === ann && event.status === 'earned')
        shown.set(keyOf(event), event.trace?.lines?.map(({ amount }: Loose) => amount) ?? []);
  }
  return Object.fromEntries(
    earned.map((event: Loose) => {
      const { amount, credit, tierName, category } = event;
      return [keyOf(event), { amount, credit, tierName, category, lines: shown.get(keyOf(event)) ?? [] }];
    }),
  );
}

function paidOf(decisions: Decisions): Record<string, Paid> {
  return Object.fromEntries(
    decisions.map(({ ruleName, dealKey, amount, credit, tierName, category, trace, earnedOn }) => {
      const number = amount.toNumber();
      const { lines = [] } = decodeTrace(trace, {
        conditions: [],
        day: earnedOn,
        timeZone: 'UTC',
        tierName,
        amount: number,
      });
      const shown = lines.map((line) => line.amount ?? null);
      return [
        `${ruleName} ${dealKey}`,
        { amount: number, credit: credit.toNumber(), tierName, category, lines: shown },
      ];
    }),
  );
}

const calculated: { readonly example: string; readonly scenario: Scenario; readonly decisions: Decisions }[] = [];

describeLineExamples((scenario, example) => {
  const result = run(scenario);
  calculated.push({ example, scenario, decisions: result.decisions });
  return result;
});

describe('the worked examples of lines over HTTP', function () {
  this.timeout(300_000);
  const service = Service.duringSuite();

  it('pay what the engine calculates for each of their scenarios', async () => {
    const scenarios = new Map(
      calculated
        .filter(({ scenario }) => isOfApi(scenario))
        .map((one) => [JSON.stringify(one.scenario, (_, value) => (value instanceof Map ? [...value] : value)), one]),
    );
    expect(scenarios.size).to.be.above(100);
    const differences: string[] = [];
    for (const { example, scenario, decisions } of scenarios.values()) {
      const workspace = await service.workspace();
      const [ann, bob, cy] = await workspace.api.saveReps('Ann', 'Bob', 'Cy');
      const stage = { workspace, ann, bob, cy };
      const paid = await store(stage, scenario).then(
        () => readPaid(stage),
        (error: unknown) => String(error),
      );
      const [actual, expected] = [comparable(paid), comparable(paidOf(decisions))];
      if (actual !== expected) differences.push(`${example}: ${actual}, expected ${expected}`);
    }
    expect(differences).to.deep.equal([]);
  });
});

/** Without the periods in which nothing counts: how many there are depends on the day of the test. */
function comparable(paid: Record<string, Paid> | string): string {
  if (typeof paid === 'string') return paid;
  const rows = Object.entries(paid).filter(
    ([, { amount, credit, lines }]) => amount !== 0 || credit !== 0 || lines.length > 0,
  );
  return JSON.stringify(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
