import { expect } from 'chai';
import { z } from 'zod';
import { toDealLines } from '#src/deals/deal-lines.js';
import { type CreditLine } from '#src/engine/credit-lines.js';
import { type Decision } from '#src/engine/model.js';
import { attainmentKey, type PlanTerms } from '#src/engine/plan-config.js';
import { rateTableInput } from '#src/engine/rate-table-input.js';
import { planTerms } from '#src/plans/plan.js';
import { type PlanTemplate } from '#src/plans/templates.js';
import { planTemplates } from '#src/plans/templates-catalog.js';
import { run, type Scenario } from '#test/engine/scenario.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

type Example = PlanTemplate['workedExample'];
type Line = Example['expected'][number];

describe('plan templates', () => {
  for (const template of planTemplates) {
    it(`${template.templateId}: the engine calculates the amounts of the worked example`, () => {
      expect(calculated(template)).to.have.deep.members(template.workedExample.expected);
      expect(template.workedExample.expected).to.not.be.empty;
    });
  }

  describe('over HTTP', () => {
    const service = Service.duringSuite();

    it('lists all templates and returns each by its slug', async () => {
      const { api } = await service.workspace();
      const listed = await api.expect(200, 'GET', '/v1/plans/templates');
      expect(listed).to.deep.equal(planTemplates);
      for (const template of planTemplates) {
        expect(await api.expect(200, 'GET', `/v1/plans/templates/${template.templateId}`)).to.deep.equal(template);
      }
    });

    it('returns 404 for an unknown template', async () => {
      const { api } = await service.workspace();
      for (const slug of ['nope', '..%2Fx', '__proto__', 'constructor', "a'b", 'FLAT-COMMISSION', '%00']) {
        const { status, body } = await api.get(`/v1/plans/templates/${slug}`);
        expect([slug, status, body.code]).to.deep.equal([slug, 404, 'template_not_found']);
      }
    });

    for (const template of planTemplates) {
      it(`${template.templateId}: posted as it is, it pays the worked example`, async () => {
        const { workspaceId, api } = await service.workspace();
        await setUpTemplate(template, api);
        await service.waitForCalculations(workspaceId);
        const events = await service.sql<Line>(
          `select r.name as "earnedBy", e.deal_key as "dealId", e.rule_name as "ruleName", e.tier_name as "tierName",
            e.amount::float as amount
          from commission_events e join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
          where e.workspace_id = $1 and e.status = 'earned'`,
          workspaceId,
        );
        expect(events).to.have.deep.members(template.workedExample.expected);
      });
    }
  });
});

function calculated({ planConfig, tables = [], workedExample }: PlanTemplate): Line[] {
  const { terms, scenario } = scenarioOf(planConfig.config, workedExample, tables);
  const { decisions } = run(scenario);
  const upstream = (dealId: string) =>
    decisions
      .filter((event) => event.dealKey === dealId)
      .map(({ planId, ruleName, phase, currency, amount, share }) => ({
        repId: 'rep',
        planId,
        ruleName,
        phase,
        currency,
        amount,
        share,
      }));
  const isCascade = terms.rules.some((rule) => rule.executionPhase === 'cascade');
  const team = { deals: scenario.deals, upstream };
  const above = isCascade ? run({ config: planConfig.config, deals: '', team }).decisions : [];
  return [...decisions.map((event) => lineOf('rep', event)), ...above.map((event) => lineOf('manager', event))];
}

function scenarioOf(
  config: unknown,
  example: Example,
  tables: NonNullable<PlanTemplate['tables']>,
): { terms: PlanTerms; scenario: Scenario } {
  const terms = planTerms(config);
  const keyOf = (measure: string) => {
    const rule = terms.rules.find(({ name }) => name === measure);
    return rule === undefined ? expect.fail(`no rule is named ${measure}`) : attainmentKey(rule);
  };
  const { assignment } = example;
  const scenario = {
    config,
    deals: example.deals.map(lineOfDeal).join('\n'),
    credits: Object.fromEntries(
      example.deals.flatMap(({ dealId, credits }) => (credits === undefined ? [] : [[dealId, credits.map(toLine)]])),
    ),
    lines: Object.fromEntries(
      example.deals.flatMap(({ dealId, lines }) => (lines === undefined ? [] : [[dealId, toDealLines(lines)]])),
    ),
    tables: z.array(rateTableInput).parse(tables),
    quotas: Object.fromEntries(
      example.quotas.map(({ measure, period, ...quota }) => [`${keyOf(measure)} ${period}`, quota]),
    ),
    ...(assignment === undefined
      ? {}
      : {
          assigned: {
            start: assignment.effectiveStart,
            end: assignment.effectiveEnd,
            ...(assignment.ramp === undefined ? {} : { ramp: { from: null, steps: assignment.ramp.steps } }),
          },
        }),
  };
  return { terms, scenario };
}

function toLine({ rep, percent, ...line }: NonNullable<Example['deals'][number]['credits']>[number]): CreditLine {
  return { ...line, repId: rep, percent: String(percent), affects: 'both', source: 'api' };
}

function lineOfDeal({ dealId, closeDate, amount, stage, fields }: Example['deals'][number]): string {
  const more = Object.entries({ ...(stage === undefined ? {} : { stage }), ...fields });
  return `${dealId} | ${closeDate} | ${amount ?? ''} | ${more.map((pair) => pair.join('=')).join(', ')}`;
}

function lineOf(earnedBy: Line['earnedBy'], { dealKey, ruleName, tierName, amount }: Decision): Line {
  return { earnedBy, dealId: dealKey, ruleName, tierName, amount: Number(String(amount)) };
}

/** The steps in the description of a template: rate tables, plan, people, assignment, quotas, deals. */
async function setUpTemplate(
  { name, tables = [], planConfig, workedExample }: PlanTemplate,
  api: ApiClient,
): Promise<void> {
  for (const { name: table, ...content } of tables)
    await api.expect(200, 'PUT', `/v1/rate-tables/${encodeURIComponent(table)}`, content);
  const plan = await api.createPlan({ ...planConfig, name, effectiveStart: '2026-01-01' });
  const managerEmail = 'manager@x.io';
  const [manager, rep] = await api.saveReps({ name: 'manager', role: 'manager' }, { name: 'rep', managerEmail });
  const isCascade = plan.rules.some((rule: { executionPhase: string }) => rule.executionPhase === 'cascade');
  const repIds = isCascade ? [rep, manager] : [rep];
  const { ramp, ...days } = workedExample.assignment ?? {};
  const ramped =
    ramp === undefined ? {} : await api.expect(201, 'POST', '/v1/ramps', { name: 'New hires', steps: ramp.steps });
  const assigned = { repIds, planId: plan.planId, rampId: ramped.rampId, ...days };
  await api.expect(201, 'POST', '/v1/assignments', assigned);
  for (const quota of workedExample.quotas) {
    await api.expect(201, 'POST', '/v1/quotas', { repIds: [rep], ...quota });
  }
  const deals = workedExample.deals.map(({ credits, ...deal }) => ({
    ...deal,
    ownerEmail: credits === undefined ? 'rep@x.io' : 'owner@x.io',
  }));
  const imported = await api.expect(200, 'POST', '/v1/deals/import', { deals });
  expect(imported).to.deep.include({ accepted: deals.length, rejected: [] });
  for (const { dealId, credits = [] } of workedExample.deals) {
    const lines = credits.map(({ rep: name, ...line }) => ({ ...line, email: `${name}@x.io` }));
    if (lines.length > 0) await api.expect(200, 'PUT', `/v1/deals/${dealId}/credits`, { credits: lines });
  }
}
