import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { replayWebhookDelivery } from '#src/outgoing/events/commands/replay-webhook-delivery.js';
import { testWebhookEndpoint } from '#src/outgoing/events/commands/test-webhook-endpoint.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('deliveries that a person requests', () => {
  let workspace: OfflineWorkspace;
  let endpointId: string;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    endpointId = await addEndpoint();
  });

  async function addEndpoint(): Promise<string> {
    const id = newId();
    await workspace.insert.row('webhook_endpoints', {
      endpoint_id: id,
      url: 'https://hooks.example.com/',
      secret: Buffer.alloc(1),
    });
    return id;
  }

  const test = (id = endpointId) => workspace.run(testWebhookEndpoint, { params: { endpointId: id } });
  const replay = (deliveryId: string) => workspace.run(replayWebhookDelivery, { params: { endpointId, deliveryId } });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'sent',
      ({ code }: { code: string }) => code,
    );
  const stored = async () =>
    (await workspace.db.sql('select 1 from webhook_deliveries where endpoint_id = $1', endpointId)).length;

  it('are at most ten in any minute for each endpoint, tests and replays together', async () => {
    const { deliveryId } = await test();
    for (let count = 0; count < 4; count += 1) await test();
    for (let count = 0; count < 5; count += 1) await replay(deliveryId);
    const rejected = await test().catch((error: unknown) => error);
    expect(rejected).to.include({ code: 'rate_limited' });
    expect((rejected as { details: { retryAfter: number } }).details.retryAfter).to.be.within(1, 60);
    expect(await codeOf(replay(deliveryId))).to.equal('rate_limited');
    expect(await stored()).to.equal(5);
    expect(await codeOf(test(await addEndpoint()))).to.equal('sent');
    await workspace.db.sql(`update limited_uses set used_at = used_at - interval '1 minute'`);
    expect(await codeOf(test())).to.equal('sent');
  });

  it('that are rejected do not count', async () => {
    for (let count = 0; count < 11; count += 1) expect(await codeOf(replay(newId()))).to.equal('not_found');
    expect(await codeOf(test())).to.equal('sent');
  });

  it('are counted one after the other when they are requested at the same time', async () => {
    const codes = await Promise.all(Array.from({ length: 14 }, () => codeOf(test())));
    expect(codes.filter((code) => code === 'sent')).to.have.length(10);
    expect(await stored()).to.equal(10);
  });
});
