import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SeededRandom } from '#test/faults/harness/seeded-random.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

const months = ['2026-01', '2026-02', '2026-03'];
const periods = [...months, '2026-Q1'];
const steps = 24;

describe('commission and statements as of an earlier instant', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let repIds: string[];
  let planId: string;
  let adjustments: { repId: string; eventId: string }[];

  before(async () => {
    ({ api, workspaceId } = await service.workspace());
    const people = ['ada', 'ben'].map((name) => ({ email: `${name}@example.com`, name, crmMemberId: name }));
    repIds = await api.saveReps(...people);
    const plan = await api.createPlan({ name: 'Sales', config: configWith(0.1) });
    ({ planId } = plan);
    await api.assign(repIds, planId);
    adjustments = [];
  });

  const configWith = (rate: number) => ({ rules: [flatRule('Commission', rate, { attainmentPeriod: 'monthly' })] });

  /** One change of a random kind. It may be rejected, for example because a period is approved. */
  async function change(random: SeededRandom): Promise<void> {
    const repId = random.pick(repIds);
    const period = random.pick(months);
    const dealId = `D${random.between(1, 4)}`;
    const statement = `/v1/statements/${repId}`;
    const deal = {
      amount: random.between(100, 9999),
      closeDate: `${random.pick(months)}-1${random.between(0, 9)}`,
      ownerId: random.pick(['ada', 'ben']),
    };
    const kinds: readonly (() => Promise<unknown>)[] = [
      () => api.put(`/v1/deals/${dealId}`, deal),
      () => api.put(`/v1/deals/${dealId}`, deal),
      () => api.delete(`/v1/deals/${dealId}`),
      () => api.patch(`/v1/plans/${planId}`, { config: configWith(random.between(5, 20) / 100) }),
      () => api.post(`${statement}/generate`, { period }),
      async () => {
        await api.post(`${statement}/generate`, { period });
        await api.post(`${statement}/approve`, { period, status: 'approved' });
      },
      () => api.post(`${statement}/approve`, { period, status: 'draft' }),
      () => api.post(`${statement}/true-up`, { period, force: true }),
      async () => {
        const { status, body } = await api.post(`${statement}/adjust`, { period, amount: 25, reason: 'Contest' });
        if (status === 200) adjustments.push({ repId, eventId: body.eventId });
      },
      async () => {
        const one = adjustments.pop();
        if (one !== undefined) await api.delete(`/v1/statements/${one.repId}/adjust/${one.eventId}`);
      },
      () => api.post('/v1/commissions/reset', { scope: 'events' }),
    ];
    await random.pick(kinds)();
  }

  async function read(asOf?: string): Promise<Record<string, unknown>> {
    const paths = [
      ...periods.map((period) => `/v1/commissions?period=${period}`),
      ...repIds.map((repId) => `/v1/commissions?period=2026-Q1&repId=${repId}`),
      ...['D1', 'D2', 'D3', 'D4'].map((dealId) => `/v1/commissions?dealId=${dealId}`),
      ...months.map((period) => `/v1/statements?period=${period}`),
      ...repIds.flatMap((repId) => months.map((period) => `/v1/statements?period=${period}&repId=${repId}`)),
      '/v1/statements/export.csv?period=2026-02',
      `/v1/statements/${repIds[0]}/export?period=2026-02`,
    ];
    const found: Record<string, unknown> = {};
    for (const path of paths) {
      const { status, body } = await api.get(asOf === undefined ? path : `${path}&asOf=${asOf}`);
      // A deal that does not exist yet has no events.
      found[path] = status === 200 ? body : null;
    }
    return found;
  }

  /** The part of a response that the response as of an instant has too. */
  function comparable(response: unknown, asOf: unknown): unknown {
    if (Array.isArray(asOf) && Array.isArray(response))
      return response.map((one, index) => comparable(one, asOf[index]));
    if (typeof asOf !== 'object' || asOf === null || typeof response !== 'object' || response === null) return response;
    return Object.fromEntries(
      Object.entries(response).flatMap(([name, value]) =>
        name in asOf ? [[name, comparable(value, (asOf as Record<string, unknown>)[name])]] : [],
      ),
    );
  }

  it('equal what the service returned at that instant, for a random history', async () => {
    const random = SeededRandom.named(Number(process.env['SEED'] ?? 1), 'as-of');
    const taken: { at: string; responses: Record<string, unknown> }[] = [];
    for (let step = 0; step < steps; step += 1) {
      await change(random);
      await service.waitForCalculations(workspaceId);
      const responses = await read();
      await sleep(2);
      taken.push({ at: new Date().toISOString(), responses });
      await sleep(2);
    }
    let compared = 0;
    for (const [step, { at, responses }] of taken.entries()) {
      const then = await read(at);
      for (const [path, response] of Object.entries(then)) {
        // The current response of a deal that does not exist is 404, and its events stay readable.
        if (responses[path] === null || response === null) continue;
        const {
          asOf: instant,
          dealId: _,
          ...content
        } = (typeof response === 'object' ? response : { text: response }) as Record<string, unknown>;
        if (path.startsWith('/v1/commissions?')) expect(instant, path).to.equal(at);
        const current = typeof response === 'object' ? responses[path] : { text: responses[path] };
        expect(content, `${path} after step ${step}`).to.deep.equal(comparable(current, content));
        compared += 1;
      }
    }
    expect(compared).to.be.greaterThan(steps * 15);
  });

  it('reject an instant in the future', async () => {
    await expectError('400 VALIDATION_FAILED', api.get('/v1/commissions?asOf=2126-01-01T00:00:00Z'));
  });
});
