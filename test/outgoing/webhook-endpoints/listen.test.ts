import { expect } from 'chai';
import { startListener } from '#src/app/commands/listen.js';
import { createClient } from '#src/client.js';
import { EventReceiver } from '#test/support/event-receiver.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

describe('commissions listen', () => {
  const service = Service.duringSuite();

  it('prints signed events, forwards them with their signature, and deletes its endpoint', async () => {
    const { api, apiKey } = await service.workspace();
    const [ann] = await api.saveReps('Ann');
    const target = await EventReceiver.start();
    const lines: string[] = [];
    const listener = await startListener(createClient({ baseUrl: service.url, token: apiKey }), {
      port: 0,
      events: ['statement.generated'],
      forwardTo: target.url,
      print: (line) => lines.push(line),
    });
    const list = async () => (await api.expect(200, 'GET', '/v1/webhook-endpoints')).endpoints;
    const [endpoint] = await list();
    await api.generate(ann, '2026-03');
    await until(async () => target.received.length > 0, { what: 'the event at the receiver' });
    const printed = JSON.parse(lines[0] ?? '{}');
    expect(printed).to.include({ type: 'statement.generated', id: target.received[0]?.id });
    expect(target.received[0]?.headers['webhook-signature']).to.match(/^v1,/);

    const forged = await fetch(listener.address, { method: 'POST', body: '{}', headers: { 'webhook-id': 'x' } });
    expect([forged.status, lines.length]).to.deep.equal([401, 1]);

    const path = `/v1/webhook-endpoints/${endpoint.id}/deliveries`;
    const shown = await api.expect(200, 'GET', `${path}?bodies=true`);
    expect(shown.deliveries[0].body).to.equal(target.received[0]?.text);
    expect((await api.expect(200, 'GET', path)).deliveries[0]).to.not.have.property('body');

    await listener.stop();
    await target.stop();
    expect(await list()).to.deep.equal([]);
  });

  it('says how to allow it where the service does not send to its own machine', async () => {
    const { ApiError } = await import('#src/client.js');
    const client = {
      createWebhookEndpoint: async () => {
        throw new ApiError(400, 'VALIDATION_FAILED', 'x', { issues: ['url: must begin with https://'] }, null);
      },
    };
    const failure = await startListener(client as never, { port: 0, print: () => undefined }).catch((e: Error) => e);
    expect((failure as Error).message).to.include('CRM_ALLOW_LOOPBACK=1');
  });
});
