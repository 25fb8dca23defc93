import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { replayWebhookDelivery } from '#src/webhook-endpoints/commands/replay-webhook-delivery.js';
import { testWebhookEndpoint } from '#src/webhook-endpoints/commands/test-webhook-endpoint.js';
import { callerAs, SliceFixture } from '#test/support/slice-fixture.js';

describe('deliveries that a person requests', () => {
  let slice: SliceFixture;
  let workspaceId: string;
  let endpointId: string;

  beforeEach(async () => {
    slice = await SliceFixture.emptied();
    workspaceId = await slice.workspace();
    endpointId = await addEndpoint();
  });

  async function addEndpoint(): Promise<string> {
    const id = newId();
    await slice.insert('webhook_endpoints', {
      workspace_id: workspaceId,
      endpoint_id: id,
      url: 'https://hooks.example.com/',
      secret: Buffer.alloc(1),
    });
    return id;
  }

  const caller = () => callerAs('admin', workspaceId);
  const test = (id = endpointId) => slice.run(testWebhookEndpoint, caller(), { params: { endpointId: id } });
  const replay = (deliveryId: string) =>
    slice.run(replayWebhookDelivery, caller(), { params: { endpointId, deliveryId } });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'sent',
      ({ code }: { code: string }) => code,
    );
  const stored = async () =>
    (await slice.sql('select 1 from webhook_deliveries where endpoint_id = $1', endpointId)).length;

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
    await slice.sql(`update limited_uses set used_at = used_at - interval '1 minute'`);
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
