import { expect } from 'chai';
import { FetchClient, listTools } from '#test/mcp/mcp-fixture.js';
import { type ApiResponse } from '#test/support/api-client.js';
import { specifiedOperations } from './operations.js';
import { rejects } from './rejections.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { exampleTiers, expectError, flatTier, type Plan, unknownId, World } from './world.js';

/** Sections 7, 8 and 9 of the specification: errors, limits and versioning. */
export function describeContract(): void {
  describeErrors();
  describeLimits();
  describeVersioning();
}

function describeErrors(): void {
  describe('7: errors', () => {
    let world: World;
    let plan: Plan;
    let superseding: Plan;
    const rules = [{ name: 'Commission', measure: 'amount', tiers: exampleTiers }];
    const quota = (more: object = {}) => ({
      repIds: [world.ids.ben],
      planRuleId: superseding.rules[0]?.id,
      period: '2026-Q1',
      target: 1000,
      ...more,
    });

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', rules);
      await world.assign(plan, 'ben');
      superseding = await world.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, {
        config: { rules: [{ ...rules[0], tiers: flatTier(0.2) }] },
      });
    });

    row(639, 'period_mismatch: the period has another format than the attainmentPeriod', async () => {
      for (const period of ['2026-03', '2026'])
        await expectError('400 period_mismatch', world.admin.post('/v1/quotas', quota({ period })));
    });

    rejects(640, 'plan_rule_not_found: the planRuleId exists on no plan', 404, 'plan_rule_not_found', () =>
      world.admin.post('/v1/quotas', quota({ planRuleId: unknownId })),
    );

    row(641, 'plan_rule_not_found: a quota names a rule id of a superseded version', async () => {
      await expectError(
        '404 plan_rule_not_found',
        world.admin.post('/v1/quotas', quota({ planRuleId: plan.rules[0]?.id })),
      );
      expect(await world.get('/v1/quotas')).to.deep.equal([]);
    });

    row(649, 'plan_rule_not_found: an override names a rule id of a superseded version', async () => {
      const override = { rules: [{ ruleId: plan.rules[0]?.id, tiers: [{ tierIndex: 0, rate: 0.5 }] }] };
      const path = `/v1/plans/${superseding.planVersionId}/overrides/${world.ids.ben}`;
      await expectError('404 plan_rule_not_found', world.admin.put(path, override));
      expect(await world.get(`/v1/plans/${superseding.planVersionId}/overrides`)).to.deep.equal([]);
    });

    row(642, 'rep_not_found: the repId does not resolve', async () => {
      await expectError('404 rep_not_found', world.admin.post('/v1/quotas', quota({ repIds: [unknownId] })));
      await expectError('404 rep_not_found', world.admin.get(`/v1/commissions?repId=${unknownId}`));
    });

    row(643, 'quota_ambiguous_measure: the rule name is on two plans of the rep', async () => {
      await world.assign(await world.plan('Other', rules), 'ben');
      await expectError(
        '400 quota_ambiguous_measure',
        world.admin.post('/v1/quotas', quota({ planRuleId: undefined, measure: 'Commission' })),
      );
    });

    row(644, 'an unknown route returns the error envelope', async () => {
      await expectError('404 not_found', world.admin.get('/v1/no-such-route'));
    });

    row(645, 'a known path with another method is 405 with Allow', async () => {
      const answer = await world.admin.delete('/v1/workspaces');
      await expectError('405 method_not_allowed', answer);
      expect(answer.headers.get('allow')).to.contain('GET').and.to.contain('PATCH');
    });

    row(646, 'a body that is not JSON is 400 invalid_json', async () => {
      const json = { 'Content-Type': 'application/json' };
      await expectError('400 invalid_json', world.admin.send('POST', '/v1/quotas', '{"repIds": [', json));
    });

    row(647, 'a missing or invalid token is 401 in the envelope', async () => {
      for (const client of [world.anyone, service().client('ws_wrong')])
        await expectError('401 unauthorized', client.get('/v1/plans'));
    });

    row(648, 'duplicate_idempotency_key: the key was used for another body', async () => {
      const post = (name: string): Promise<ApiResponse> =>
        world.admin.send('POST', '/v1/plans', { name, config: { rules } }, { 'Idempotency-Key': 'plan-1' });
      const first = await post('Idempotent');
      expect(first.status).to.equal(201);
      const replay = await post('Idempotent');
      expect(replay.body.planId).to.equal(first.body.planId);
      expect(replay.headers.get('idempotent-replay')).to.equal('true');
      await expectError('409 duplicate_idempotency_key', post('Another'));
    });
  });
}

function rateOf({ headers }: Pick<ApiResponse, 'headers'>): readonly [number, number, number] {
  const number = (name: string) => Number(headers.get(`x-ratelimit-${name}`));
  return [number('limit'), number('remaining'), number('reset')];
}

function expectRateHeaders(answer: Pick<ApiResponse, 'headers'>): void {
  const [limit, remaining, reset] = rateOf(answer);
  expect(limit).to.equal(600);
  expect(remaining).to.be.within(0, 599);
  expect(reset).to.be.closeTo(Date.now() / 1000, 61);
}

function describeLimits(): void {
  describe('8: limits', () => {
    let world: World;

    before(async () => {
      world = await World.create();
    });

    row(650, 'X-RateLimit-Limit, -Remaining and -Reset are on authenticated responses', async () => {
      const first = await world.mgr.get('/v1/plans');
      const second = await world.mgr.get('/v1/plans');
      expectRateHeaders(first);
      expect(rateOf(second)[1]).to.equal(rateOf(first)[1] - 1);
    });

    row(651, 'the headers are on /auth/me as well', async () => {
      expectRateHeaders(await world.ben.get('/auth/me'));
    });

    row(656, 'the headers are on /v1/mcp as well', async () => {
      const agent = new FetchClient(service().url, world.tokens.mgr);
      expectRateHeaders(await agent.post(listTools));
    });

    row(652, 'a token may make 600 requests a minute; then it gets 429', async () => {
      const left = rateOf(await world.cat.get('/auth/status'))[1];
      let accepted = 0;
      let rejected: ApiResponse | undefined;
      while (rejected === undefined && accepted <= 600) {
        const answers = await Promise.all(Array.from({ length: 25 }, () => world.cat.get('/auth/status')));
        accepted += answers.filter((answer) => answer.status === 200).length;
        rejected = answers.find((answer) => answer.status !== 200);
      }
      expect(accepted).to.equal(left);
      await expectError('429 rate_limited', rejected as ApiResponse);
      expect(Number(rejected?.headers.get('retry-after'))).to.be.within(1, 61);
    });

    row(653, 'another token is not limited', async () => {
      expect((await world.cat.get('/auth/status')).status).to.equal(429);
      const answer = await world.ben.get('/auth/status');
      expect(answer.status).to.equal(200);
      expect(rateOf(answer)[1]).to.be.greaterThan(500);
    });

    for (const [number, tier, max] of [
      [654, 'free', 10],
      [655, 'pro', 25],
    ] as const)
      row(number, `the tier ${tier} has up to ${max} reps`, async () => {
        const { api, workspaceId } = await service().workspace({ tier });
        const people = (from: number, to: number) => ({
          reps: Array.from({ length: to - from }, (_, index) => ({
            email: `r${from + index}@${workspaceId}.test`,
            name: `Rep ${from + index}`,
          })),
        });
        await api.expect(200, 'PUT', '/v1/reps', people(0, max));
        await expectError('403 rep_limit_reached', api.put('/v1/reps', people(max, max + 1)));
        expect((await api.expect(200, 'GET', '/v1/reps')).reps).to.have.length(max);
      });
  });
}

function describeVersioning(): void {
  describe('9: versioning', () => {
    row(657, 'version of the second config shape is incremented by each update', async () => {
      const world = await World.create();
      const second = (rate: number) => ({ version: 1, rules: [{ baseField: 'amount', tiers: [{ min: 0, rate }] }] });
      const first = await world.admin.createPlan({ name: 'Second', config: second(0.1) });
      expect([first.version, first.config.version]).to.deep.equal([1, 1]);
      for (const [rate, version] of [
        [0.2, 2],
        [0.3, 3],
      ] as const) {
        const plan: Json = await world.admin.expect(200, 'PATCH', `/v1/plans/${first.planId}`, {
          config: second(rate),
        });
        expect([plan.version, plan.config.version]).to.deep.equal([version, version]);
      }
    });

    row(658, '/v1/openapi.json declares OpenAPI 3.0', async () => {
      const document = await service().client(null).expect(200, 'GET', '/v1/openapi.json');
      expect(document.openapi).to.match(/^3\.0\.\d$/);
      expect(document.info.title).to.be.a('string').and.not.equal('');
    });

    row(659, 'the 70 operations on 60 paths are all in the machine-readable description', async () => {
      expect(specifiedOperations).to.have.length(70);
      expect(new Set(specifiedOperations.map(([, path]) => path)).size).to.equal(60);
      const { paths } = await service().client(null).expect(200, 'GET', '/v1/openapi.json');
      // Two names of one parameter, such as planId and planRef, are one path in the description.
      const nameless = (method: string, path: string) =>
        `${method.toLowerCase()} ${path.replace(/:\w+|\{\w+\}/g, '*')}`;
      const described = new Set(
        Object.entries<Json>(paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => nameless(method, path)),
        ),
      );
      const missing = specifiedOperations.filter(([method, path]) => !described.has(nameless(method, path)));
      expect(missing).to.deep.equal([]);
    });
  });
}
