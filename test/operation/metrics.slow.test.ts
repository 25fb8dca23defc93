import { expect } from 'chai';
import { registry } from '#src/platform/metrics.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';

const token = 'metrics-token-of-sixteen';

describe('GET /metrics', () => {
  const service = Service.duringSuite({ settings: { METRICS_TOKEN: token } });
  let api: ApiClient;
  let countedBefore: ReadonlyMap<string, number>;

  before(async () => {
    countedBefore = samplesOf(await registry.metrics());
    const workspace = await service.workspace();
    api = workspace.api;
    await saveSimpleTerms(api, ['ann']);
    await api.expect(201, 'PUT', '/v1/deals/canary-deal', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
    await service.waitForCalculations(workspace.workspaceId);
    await api.get('/v1/deals/canary-deal/nothing-here');
  });

  it("returns 401 without its token, with a wrong token, and with a workspace's key", async () => {
    for (const client of [service.client(null), service.client('wrong'), service.client(`${token}x`), api])
      expect((await client.get('/metrics')).status).to.equal(401);
  });

  it('reports requests by route template, calculations, jobs and waiting work', async () => {
    const { status, body } = await service.client(token).get('/metrics');
    expect(status).to.equal(200);
    const samples = samplesOf(body);
    // The counters belong to the process, which may have run other services before.
    const counted = (sample: string) => (samples.get(sample) ?? 0) - (countedBefore.get(sample) ?? 0);
    for (const sample of [
      'http_request_duration_seconds_count{method="PUT",route="/v1/deals/:dealId",status="201"}',
      'http_request_duration_seconds_count{method="GET",route="unknown",status="404"}',
    ])
      expect(counted(sample), sample).to.equal(1);
    for (const sample of [
      'engine_run_duration_seconds_count{outcome="written"}',
      'engine_events_total{outcome="written"}',
      'queue_wait_seconds_count{job="calculate.v1"}',
      'jobs_total{job="calculate.v1",outcome="completed"}',
    ])
      expect(counted(sample), sample).to.be.at.least(1);
    expect(body).to.match(/^queue_jobs\{queue="commissions",state="failed"\} 0$/m);
    expect(body).to.match(/^calculation_requests 0$/m);
    expect(body).to.match(/^calculation_request_age_seconds 0$/m);
    expect(body).to.match(/^process_resident_memory_bytes /m);
  });

  it('contains no id, no e-mail address and no text entered by users', async () => {
    const { body } = await service.client(token).get('/metrics');
    expect(body).to.not.match(/canary|nothing-here|[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('reports how long the oldest calculation request has waited', async () => {
    const { workspaceId } = await service.workspace();
    const { unitOfWork } = service.running.service;
    const repId = '00000000-0000-4000-8000-000000000001';
    await unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, async (tx) => {
      const request = { workspace_id: workspaceId, rep_id: repId, trigger: 'recalculation' };
      await tx.db
        .insertInto('calculation_requests')
        .values({ ...request, from_day: '2026-01-01', to_day: '2026-01-02', requested_at: new Date(Date.now() - 3000) })
        .execute();
    });
    const { body } = await service.client(token).get('/metrics');
    expect(Number(/^calculation_request_age_seconds ([\d.]+)$/m.exec(body)?.[1])).to.be.within(3, 20);
  });

  it('contains all documented metrics under their names', async () => {
    const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
    expect(names).to.include.members([
      'http_request_duration_seconds',
      'engine_run_duration_seconds',
      'engine_events_total',
      'queue_jobs',
      'queue_wait_seconds',
      'crm_requests_total',
      'webhook_deliveries_total',
      'pdf_render_seconds',
      'rate_limited_total',
      'unhandled_rejections_total',
      'process_restarts_total',
    ]);
  });
});

describe('with METRICS_PORT', () => {
  it("serves metrics and health on a separate port, also in a worker, and not on the API's port", async () => {
    const service = await Service.start({ settings: { METRICS_PORT: '0', LOG_LEVEL: 'info' } });
    try {
      expect((await service.client(null).get('/metrics')).status).to.equal(404);
      const { metricsUrl } = service.running;
      for (const path of ['/metrics', '/livez', '/readyz'])
        expect((await fetch(`${metricsUrl}${path}`)).status, path).to.equal(200);
    } finally {
      await service.stop();
    }
  });
});

/** The samples of the page by name with labels. */
function samplesOf(page: string): ReadonlyMap<string, number> {
  return new Map([...page.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
