import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { describeEventBody, eventData } from '#src/outgoing/events/event-data.js';
import { Notifications } from '#src/outgoing/notifications/notifications.js';
import { WeeklyDigest } from '#src/outgoing/notifications/weekly-digest.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { EventReceiver, type ReceivedEvent } from '#test/support/event-receiver.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';

const day = '2026-02-10';

describe('outgoing events', () => {
  let service: Service;
  let smtp: FakeSmtp;
  let receiver: EventReceiver;
  let api: ApiClient;
  let workspaceId: string;
  let secret: string;
  let endpoint: string;
  let ada: string;
  let ben: string;

  before(async () => {
    smtp = await FakeSmtp.start();
    service = await Service.start({
      settings: {
        SMTP_URL: smtp.url,
        MAIL_FROM: 'pay@example.com',
        PUBLIC_URL: 'https://pay.test',
      },
    });
  });
  after(async () => {
    await service?.stop();
    await smtp?.stop();
  });

  beforeEach(async () => {
    receiver = await EventReceiver.start();
    ({ api, workspaceId } = await service.workspace());
    const created = await api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url });
    ({ secret, id: endpoint } = created);
    [ada, ben] = await api.saveReps(
      { email: 'ada@example.com', name: 'Ada', crmMemberId: 'ada' },
      { email: 'ben@example.com', name: 'Ben', crmMemberId: 'ben' },
    );
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
    const config = { rules: [{ name: 'Commission', measure: 'amount', tiers }] };
    await api.createPlan({ name: 'Sales', config }, [ada, ben]);
    await until(() => typesOf().includes('plan.version_created'));
    receiver.received.length = 0;
  });
  afterEach(async () => {
    for (const { body } of receiver.received)
      if (body.type in eventData)
        expect(describeEventBody(body.type).safeParse(body).error?.message, body.type).to.equal(undefined);
    await receiver.stop();
  });

  const putDeal = (dealId: string, ownerId: string, amount: number) =>
    api.put(`/v1/deals/${dealId}`, { amount, closeDate: day, ownerId });
  const typesOf = () => receiver.received.map(({ body }) => body.type);
  const aboutRep = (repId: string) => receiver.received.filter(({ body }) => body.data.repId === repId);
  const verified = ({ text, headers }: ReceivedEvent) =>
    new Webhook(secret).verify(text, headers as Record<string, string>) as ReceivedEvent['body'];
  const sql = <Row extends object>(text: string) => service.sql<Row & Record<string, unknown>>(text, workspaceId);
  const retryNow = () =>
    sql(`with d as (update webhook_deliveries set not_before = now() where workspace_id = $1)
      update webhook_endpoints set not_before = now() where workspace_id = $1`);

  /** Of changed commission, newest first. */
  async function deliveries(): Promise<{ id: string; type: string; status: string; attempts: number }[]> {
    const path = `/v1/webhook-endpoints/${endpoint}/deliveries`;
    const all: Awaited<ReturnType<typeof deliveries>> = (await api.expect(200, 'GET', path)).deliveries;
    return all.filter(({ type }) => type === 'commission.changed');
  }

  it('report the changed amounts of a run, signed as Standard Webhooks requires', async () => {
    await putDeal('D1', 'ada', 1000);
    await until(() => aboutRep(ada).length === 1);
    await putDeal('D1', 'ada', 4000);
    await until(() => aboutRep(ada).length === 2);
    const [first, second] = aboutRep(ada).map(verified);
    expect(first.type).to.equal('commission.changed');
    expect(first.data.events).to.have.length(1);
    expect(first.data.events[0]).to.include({
      dealId: 'D1',
      amount: 100,
      previousAmount: 0,
      currency: 'USD',
      period: '2026-Q1',
    });
    expect(second.data.events[0]).to.include({ dealId: 'D1', amount: 400, previousAmount: 100, status: 'earned' });
    expect(new Set(receiver.ids()).size).to.equal(2);
    const [wrong] = receiver.received as [ReceivedEvent];
    expect(() => verified({ ...wrong, text: `${wrong.text} ` })).to.throw(/signature/i);
  });

  it('report a statement from its first version to its end, in this order for each rep', async () => {
    await putDeal('D1', 'ada', 1000);
    await service.waitForCalculations(workspaceId);
    const period = '2026-02';
    await api.generate(ada, period);
    await api.approve(ada, period);
    await api.unlock(ada, period);
    await until(() => typesOf().includes('statement.reopened'));
    expect(aboutRep(ada).map(({ body }) => body.type)).to.deep.equal([
      'commission.changed',
      'statement.generated',
      'statement.approved',
      'statement.reopened',
    ]);
    expect(aboutRep(ada)[2]?.body.data).to.deep.equal({
      repId: ada,
      period,
      version: 1,
      status: 'approved',
      netPayout: 100,
      currency: 'USD',
    });
  });

  for (const [action, pay] of [
    ['true_up', () => api.expect(200, 'POST', `/v1/statements/${ada}/true-up`, { period: '2026-02', force: true })],
    [
      'carry_forward',
      async () => {
        await service.waitForChecks(workspaceId);
        const { discrepancies } = await api.expect(200, 'GET', '/v1/discrepancies?status=open');
        const resolution = { action: 'carry_forward', reason: 'Next month' };
        await api.expect(200, 'POST', `/v1/discrepancies/${discrepancies[0].discrepancyId}/resolve`, resolution);
      },
    ],
  ] as const)
    it(`report what a ${action} pays in two currencies as one change`, async () => {
      const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'EUR' }];
      await api.createPlan({ name: 'Euro', currency: 'EUR', config: { dealConditions, rules: [flatRule('E', 0.1)] } }, [
        ada,
      ]);
      const euros = (amount: number) =>
        api.put('/v1/deals/E1', { amount, currency: 'EUR', closeDate: day, ownerId: 'ada' });
      await putDeal('D1', 'ada', 1000);
      await euros(500);
      await service.waitForCalculations(workspaceId);
      await api.generate(ada, '2026-02');
      await api.approve(ada, '2026-02');
      await putDeal('D1', 'ada', 4000);
      await euros(700);
      await service.waitForCalculations(workspaceId);
      await until(() => typesOf().includes('statement.approved'));
      receiver.received.length = 0;
      await pay();
      await until(() => typesOf().includes('commission.changed'));
      const changes = aboutRep(ada).filter(({ body }) => body.type === 'commission.changed');
      expect(changes).to.have.length(1);
      const amounts = changes[0]?.body.data.events.map((event: { amount: number; currency: string }) => [
        event.amount,
        event.currency,
      ]);
      expect(amounts).to.have.deep.members([
        [300, 'USD'],
        [20, 'EUR'],
      ]);
    });

  it('report amounts that people enter and clear', async () => {
    const amount = { amount: 50, reason: 'Contest', period: '2026-02' };
    const { eventId } = await api.expect(200, 'POST', `/v1/statements/${ada}/adjust`, amount);
    await api.expect(200, 'PATCH', `/v1/statements/${ada}/adjust/${eventId}`, { reason: 'Contest of February' });
    await api.expect(200, 'PATCH', `/v1/statements/${ada}/adjust/${eventId}`, { amount: 70 });
    await api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
    await until(() => aboutRep(ada).length === 3);
    const amounts = aboutRep(ada).map(({ body }) => [body.data.events[0].previousAmount, body.data.events[0].amount]);
    expect(amounts).to.deep.equal([
      [0, 50],
      [50, 70],
      [70, 0],
    ]);
  });

  it('report disputes, discrepancies, true-ups, changes of plans and recalculations', async () => {
    const period = '2026-02';
    const statement = `/v1/statements/${ada}`;
    await putDeal('D1', 'ada', 1000);
    await service.waitForCalculations(workspaceId);
    await api.expect(200, 'POST', `${statement}/generate`, { period });
    const { disputeId } = await api.expect(201, 'POST', '/v1/disputes', {
      repId: ada,
      period,
      type: 'other',
      description: 'x',
    });
    await api.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'withdrawn', note: 'no' });
    await api.expect(200, 'POST', `${statement}/approve`, { period, status: 'approved' });
    await putDeal('D1', 'ada', 2000);
    await until(() => typesOf().includes('discrepancy.opened'));
    await api.expect(200, 'POST', `${statement}/true-up`, { period, force: true });
    const [plan] = await api.expect(200, 'GET', '/v1/plans');
    await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}/status`, { status: 'archived' });
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    const types = ['plan.status_changed', 'recalculation.completed', 'statement.trued_up', 'discrepancy.resolved'];
    await until(() => types.every((type) => typesOf().includes(type)));
    const dataOf = (type: string) =>
      receiver.received.filter(({ body }) => body.type === type).map(({ body }) => body.data);
    expect(dataOf('dispute.opened')).to.have.length(1);
    expect(dataOf('dispute.opened')[0]).to.include({ disputeId, repId: ada, period });
    expect(dataOf('dispute.resolved')[0]).to.include({ disputeId, status: 'withdrawn' });
    expect(dataOf('discrepancy.opened')[0]).to.include({ repId: ada, period, delta: 100 });
    expect(dataOf('discrepancy.resolved')[0]).to.include({ repId: ada, period, action: 'true_up' });
    expect(dataOf('statement.trued_up')[0]).to.include({ repId: ada, period, netPayout: 200 });
    expect(dataOf('plan.status_changed')[0]).to.include({ planId: plan.planId });
    expect(JSON.stringify(receiver.received.map(({ body }) => body))).not.to.match(/Ada|Ben|example\.com/);
  });

  it('are sent in order for each rep after the receiver was down, with one probe in the meantime', async () => {
    receiver.status = 503;
    await putDeal('D1', 'ada', 1000);
    await until(() => receiver.received.length === 1);
    await until(async () => (await deliveries())[0]?.attempts === 1);
    for (const [dealId, owner] of [
      ['D2', 'ben'],
      ['D3', 'ada'],
    ] as const)
      await putDeal(dealId, owner, 2000);
    await service.waitForCalculations(workspaceId);
    await retryNow();
    await until(() => receiver.received.length === 2);
    expect(new Set(receiver.ids()).size).to.equal(1);
    receiver.status = 204;
    await until(async () => (await deliveries()).at(-1)?.attempts === 2);
    await retryNow();
    await until(() => new Set(receiver.ids()).size === 3);
    await until(async () => (await deliveries()).every(({ status }) => status === 'delivered'));
    expect(aboutRep(ada).at(-1)?.body.data.events[0].dealId).to.equal('D3');
    const attempts = (await deliveries()).map((delivery) => delivery.attempts);
    expect(attempts).to.deep.equal([1, 1, 3]);
  });

  it('wait after each failed attempt as documented, for a day, and the endpoint stays enabled', async () => {
    receiver.mode = 'is down';
    await putDeal('D1', 'ada', 1000);
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 7; attempts += 1) {
      await until(async () => (await deliveries())[0]?.attempts === attempts);
      const [row] = await sql<{ seconds: number }>(
        `select extract(epoch from not_before - attempted_at)::float8 as seconds from webhook_endpoints
         where workspace_id = $1 and enabled`,
      );
      pauses.push(row?.seconds as number);
      await retryNow();
      // Wakes the worker before its next sweep.
      if (attempts < 7) await api.expect(202, 'POST', `/v1/webhook-endpoints/${endpoint}/test`);
    }
    const [minute, hour] = [60, 3600];
    expect(pauses).to.deep.equal([5, minute, 10 * minute, hour, 3 * hour, 8 * hour, 12 * hour]);
    receiver.recover();
    await until(async () => (await deliveries())[0]?.status === 'delivered');
    expect(aboutRep(ada)).to.have.length(1);
  });

  it('fail at a receiver that redirects, and are not sent to the target', async () => {
    receiver.mode = 'redirects';
    await putDeal('D1', 'ada', 1000);
    await until(async () => (await deliveries())[0]?.attempts === 1);
    const [delivery] = (await api.expect(200, 'GET', `/v1/webhook-endpoints/${endpoint}/deliveries?status=pending`))
      .deliveries;
    expect(delivery).to.include({ responseStatus: 307, error: 'status 307: redirects are not followed' });
    receiver.recover();
    await retryNow();
    await until(async () => (await deliveries())[0]?.status === 'delivered');
    expect([new Set(receiver.ids()).size, receiver.redirected]).to.deep.equal([1, 0]);
  });

  it('to one endpoint do not wait for a receiver of another that does not respond', async () => {
    const other = await EventReceiver.start();
    other.mode = 'hangs';
    await api.expect(201, 'POST', '/v1/webhook-endpoints', { url: other.url, eventTypes: ['commission.changed'] });
    await putDeal('D1', 'ada', 1000);
    await until(() => other.received.length === 1);
    for (const amount of [2000, 3000]) {
      await putDeal('D1', 'ada', amount);
      await service.waitForCalculations(workspaceId);
    }
    await until(() => aboutRep(ada).length === 3);
    expect(other.received).to.have.length(1);
    other.recover();
    await until(async () => {
      await retryNow();
      return new Set(other.ids()).size === 3;
    });
    const amounts = other.received.map(({ body }) => body.data.events[0].amount);
    expect([...new Set(amounts)]).to.deep.equal([100, 200, 300]);
    await other.stop();
  });

  it('have a signature of the previous secret too until the overlap of a rotation ends', async () => {
    const rotate = async (overlapHours?: number) =>
      api.expect(200, 'POST', `/v1/webhook-endpoints/${endpoint}/rotate-secret`, { overlapHours });
    const accepts = (key: string) => {
      const { text, headers } = receiver.received.at(-1) as ReceivedEvent;
      try {
        return new Webhook(key).verify(text, headers as Record<string, string>) !== null;
      } catch {
        return false;
      }
    };
    const secrets = [secret];
    const afterNextEvent = async () => {
      const { deliveryId } = await api.expect(202, 'POST', `/v1/webhook-endpoints/${endpoint}/test`);
      await until(() => receiver.ids().includes(deliveryId));
      return secrets.map(accepts);
    };
    const first = await rotate();
    const hours = (Date.parse(first.previousValidUntil) - Date.now()) / 3_600_000;
    expect(hours).to.be.within(23.5, 24);
    secrets.push(first.secret);
    expect(await afterNextEvent()).to.deep.equal([true, true]);
    secrets.push((await rotate(1)).secret);
    expect(await afterNextEvent()).to.deep.equal([true, true, true]);
    await sql(
      `update webhook_previous_secrets set valid_until = now() where workspace_id = $1
       and valid_until = (select min(valid_until) from webhook_previous_secrets where workspace_id = $1)`,
    );
    expect(await afterNextEvent()).to.deep.equal([true, false, true]);
    const leaked = await rotate(0);
    expect(leaked.previousValidUntil).to.equal(null);
    secrets.push(leaked.secret);
    expect(await afterNextEvent()).to.deep.equal([false, false, false, true]);
    for (let rotations = 0; rotations < 7; rotations += 1) secrets.push((await rotate()).secret);
    expect((await afterNextEvent()).filter(Boolean)).to.have.length(6);
    const stored = await sql<{ secret: Buffer }>('select secret from webhook_previous_secrets where workspace_id = $1');
    expect(stored.some((row) => secrets.some((one) => row.secret.includes(one.slice(6, 20))))).to.equal(false);
  });

  it('of one rep do not wait for an event of another rep that the receiver rejects', async () => {
    receiver.status = 500;
    await putDeal('D1', 'ada', 1000);
    await until(async () => (await deliveries())[0]?.attempts === 1);
    receiver.status = 204;
    await putDeal('D2', 'ben', 2000);
    await until(async () => (await deliveries()).some(({ status }) => status === 'delivered'));
    expect([aboutRep(ben).length, aboutRep(ada).length]).to.deep.equal([1, 1]);
    const [delivery] = (await api.expect(200, 'GET', `/v1/webhook-endpoints/${endpoint}/deliveries?status=pending`))
      .deliveries;
    expect(delivery).to.include({ responseStatus: 500, responseBody: 'no', error: 'status 500', repId: ada });
  });

  it('disable the endpoint after eight attempts and inform the admins; enabling it sends them', async () => {
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { role: 'admin' });
    receiver.status = 500;
    await putDeal('D1', 'ada', 1000);
    await until(async () => (await deliveries())[0]?.attempts === 1);
    await sql(
      'update webhook_deliveries set attempts = 7, not_before = now() where workspace_id = $1 and attempts = 1 and run_id is not null',
    );
    await until(async () => (await deliveries())[0]?.status === 'failed');
    const [disabled] = (await api.expect(200, 'GET', '/v1/webhook-endpoints')).endpoints;
    expect(disabled).to.include({
      enabled: false,
      disabledReason: '8 attempts to send an event failed; the last one: status 500',
    });
    const mails = await sql<{ recipient: string }>(
      "select recipient from mail_outbox where workspace_id = $1 and subject like '%was disabled'",
    );
    expect(mails).to.deep.equal([{ recipient: 'ben@example.com' }]);
    const before = (await sql('select 1 from webhook_deliveries where workspace_id = $1')).length;
    await putDeal('D2', 'ada', 1000);
    await service.waitForCalculations(workspaceId);
    expect(await sql('select 1 from webhook_deliveries where workspace_id = $1')).to.have.length(before);
    receiver.status = 204;
    await api.expect(200, 'PATCH', `/v1/webhook-endpoints/${endpoint}`, { enabled: true });
    await until(async () => (await deliveries())[0]?.status === 'delivered');
  });

  it('are sent again with the same id on request, and as a test', async () => {
    await putDeal('D1', 'ada', 1000);
    await until(async () => (await deliveries())[0]?.status === 'delivered');
    const id = (await deliveries())[0]?.id;
    await api.expect(202, 'POST', `/v1/webhook-endpoints/${endpoint}/deliveries/${id}/replay`);
    await until(() => receiver.received.length === 2);
    expect(receiver.ids()).to.deep.equal([id, id]);
    const { deliveryId } = await api.expect(202, 'POST', `/v1/webhook-endpoints/${endpoint}/test`);
    await until(() => receiver.received.length === 3);
    expect(receiver.received[2]).to.deep.include({ id: deliveryId });
    expect(receiver.received[2]?.body.type).to.equal('webhook.test');
  });

  it('send mails to the people concerned, except kinds that they have turned off', async () => {
    const period = '2026-02';
    const session = await service.as(workspaceId, ben);
    await session.expect(200, 'PUT', '/v1/mail-preferences', { disabled: ['statement_ready'] });
    const { mails } = await session.expect(200, 'GET', '/v1/mail-preferences');
    expect(mails[0]).to.include({ kind: 'statement_ready', enabled: false });
    for (const repId of [ada, ben]) {
      await putDeal(`D-${repId}`, repId === ada ? 'ada' : 'ben', 1000);
      await service.waitForCalculations(workspaceId);
      for (let version = 1; version <= 2; version += 1) await api.generate(repId, period);
      await api.approve(repId, period);
    }
    const stored = await sql<{ recipient: string; subject: string }>(
      'select recipient, subject from mail_outbox where workspace_id = $1 order by created_at',
    );
    expect(stored.map(({ recipient, subject }) => `${recipient} ${subject}`)).to.deep.equal([
      'ada@example.com Test: Your statement for 2026-02 is ready',
      'ada@example.com Test: Your statement for 2026-02 was approved',
      'ben@example.com Test: Your statement for 2026-02 was approved',
    ]);
    await until(() => smtp.mails.some(({ data }) => data.includes('/statements/')));
    await expectError('409 no_person', api.get('/v1/mail-preferences'));
  });

  it('send the other admins a mail about what waits for a second person in the books', async () => {
    const [amy, bob] = await api.saveReps(
      { email: 'amy@example.com', name: 'Amy', role: 'admin' },
      { email: 'bob@example.com', name: 'Bob', role: 'admin' },
    );
    const [first, second] = [await service.as(workspaceId, amy), await service.as(workspaceId, bob)];
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-01' } });
    const month = '/v1/accounting/months/2026-01';
    const { hash } = await first.expect(200, 'POST', `${month}/prepare`);
    await second.expect(200, 'POST', `${month}/close`, { hash });
    await first.expect(200, 'POST', `${month}/reopen`, { reason: 'A batch was missing' });
    const policy = { from: '2026-02', position: 1, match: {}, treatment: 'capitalise', period: { months: 36 } };
    await second.expect(201, 'POST', '/v1/accounting/policies/Contracts/versions', policy);
    const debt = { repId: ada, currency: 'USD', amount: 1, day: '2026-02-20', reason: 'Left' };
    await second.expect(201, 'POST', '/v1/accounting/write-offs', debt);
    await first.expect(200, 'PUT', '/v1/mail-preferences', { disabled: ['books_waiting'] });
    await second.expect(201, 'POST', '/v1/accounting/policies/Contracts/versions', policy);
    const stored = await sql<{ recipient: string; subject: string }>(
      'select recipient, subject from mail_outbox where workspace_id = $1 order by created_at, recipient',
    );
    expect(stored.map(({ recipient, subject }) => `${recipient} ${subject}`)).to.deep.equal([
      'bob@example.com Test: The books of 2026-01 are prepared',
      'bob@example.com Test: 2026-01 is to be reopened',
      'amy@example.com Test: A policy of capitalised cost is proposed',
      'amy@example.com Test: A debt is to be written off',
    ]);
  });

  it('send a mail about a question to the manager, or to the admins if there is none, and the answer to the rep', async () => {
    const [mia] = await api.saveReps(
      { email: 'mia@example.com', name: 'Mia', role: 'manager' },
      { email: 'ada@example.com', name: 'Ada', managerEmail: 'mia@example.com' },
      { email: 'alex@example.com', name: 'Alex', role: 'admin' },
    );
    const ask = async (repId: string): Promise<string> => {
      const session = await service.as(workspaceId, repId);
      const question = { period: '2026-02', type: 'other', description: 'Is this right?' };
      return (await session.expect(201, 'POST', '/v1/disputes', question)).disputeId;
    };
    const disputeId = await ask(ada);
    await ask(ben);
    const manager = await service.as(workspaceId, mia);
    await manager.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'accepted' });
    const stored = await sql<{ recipient: string; subject: string }>(
      'select recipient, subject from mail_outbox where workspace_id = $1 order by created_at',
    );
    expect(stored.map(({ recipient, subject }) => `${recipient} ${subject}`)).to.deep.equal([
      'mia@example.com Test: A question about 2026-02 waits for you',
      'alex@example.com Test: A question about 2026-02 waits for you',
      'ada@example.com Test: Your dispute about 2026-02 was accepted',
    ]);
    const link = `https://pay.test/questions/${disputeId}`;
    await until(() => smtp.mails.filter(({ data }) => data.replaceAll('=\r\n', '').includes(link)).length === 2);
  });

  it('send a mail about a question to people who may decide it, and the answer to the rep and who opened it, once', async () => {
    const [mia, , alex] = await api.saveReps(
      { email: 'mia@example.com', name: 'Mia', role: 'manager' },
      { email: 'ada@example.com', name: 'Ada', managerEmail: 'mia@example.com' },
      { email: 'alex@example.com', name: 'Alex', role: 'admin' },
      { email: 'bea@example.com', name: 'Bea', role: 'admin' },
    );
    const [manager, admin] = [await service.as(workspaceId, mia), await service.as(workspaceId, alex)];
    const { apiKey } = await admin.expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 });
    const mailsOf = async (work: () => Promise<unknown>) => {
      await sql('delete from mail_outbox where workspace_id = $1');
      await work();
      const stored = await sql<{ recipient: string; subject: string }>(
        'select recipient, subject from mail_outbox where workspace_id = $1 order by recipient',
      );
      return stored.map(({ recipient, subject }) => `${recipient} ${subject}`);
    };
    const ids: string[] = [];
    const ask = async (client: ApiClient, repId: string) => {
      const question = { repId, period: '2026-02', type: 'other', description: 'Is this right?' };
      ids.push((await client.expect(201, 'POST', '/v1/disputes', question)).disputeId);
    };
    const answer = (client: ApiClient, status: string) =>
      client.expect(200, 'PATCH', `/v1/disputes/${ids.at(-1)}`, { status });
    const waits = 'Test: A question about 2026-02 waits for you';
    expect(await mailsOf(() => ask(manager, ada))).to.deep.equal([
      `alex@example.com ${waits}`,
      `bea@example.com ${waits}`,
    ]);
    expect(await mailsOf(() => answer(admin, 'rejected'))).to.deep.equal([
      'ada@example.com Test: The dispute about 2026-02 was rejected',
      'mia@example.com Test: The dispute about 2026-02 that you opened was rejected',
    ]);
    expect(await mailsOf(() => ask(service.client(apiKey), ben))).to.deep.equal([`bea@example.com ${waits}`]);
    expect(await mailsOf(() => answer(manager, 'accepted'))).to.deep.equal([
      'alex@example.com Test: The dispute about 2026-02 that you opened was accepted',
      'ben@example.com Test: The dispute about 2026-02 was accepted',
    ]);
    const own = await service.as(workspaceId, ben);
    await ask(own, ben);
    expect(await mailsOf(() => answer(manager, 'accepted'))).to.deep.equal([
      'ben@example.com Test: Your dispute about 2026-02 was accepted',
    ]);
  });

  it('send managers one digest on Mondays', async () => {
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { role: 'manager' });
    const { unitOfWork, log } = service.running.service;
    const notifications = service.running.service.parts.resolve(Notifications);
    for (const day of ['2026-02-15', '2026-02-16', '2026-02-16', '2026-02-17'])
      await new WeeklyDigest(unitOfWork, notifications, { now: () => new Date(`${day}T12:00:00Z`) }, log).run();
    const stored = await sql<{ recipient: string; subject: string }>(
      'select recipient, subject from mail_outbox where workspace_id = $1',
    );
    expect(stored).to.deep.equal([{ recipient: 'ben@example.com', subject: 'Test: Your team in 2026-02' }]);
  });

  it('are written only while an endpoint receives their type', async () => {
    await api.expect(200, 'PATCH', `/v1/webhook-endpoints/${endpoint}`, { eventTypes: ['statement.approved'] });
    await putDeal('D1', 'ada', 1000);
    await service.waitForCalculations(workspaceId);
    await api.expect(200, 'PATCH', `/v1/webhook-endpoints/${endpoint}`, { eventTypes: null, enabled: false });
    await putDeal('D2', 'ada', 1000);
    await service.waitForCalculations(workspaceId);
    expect(
      await sql('select event_type from webhook_deliveries where workspace_id = $1 and run_id is not null'),
    ).to.deep.equal([]);
    await api.expect(200, 'DELETE', `/v1/webhook-endpoints/${endpoint}`);
    expect(await sql('select 1 from webhook_deliveries where workspace_id = $1')).to.deep.equal([]);
  });

  it('need https and a public address, at most 20 endpoints, and store no secret in plain text', async () => {
    for (const url of ['http://example.com/', 'https://10.0.0.1/', 'https://a:b@example.com/', 'nonsense'])
      expect((await api.post('/v1/webhook-endpoints', { url })).status, url).to.equal(400);
    for (let count = 1; count < 20; count += 1)
      await api.expect(201, 'POST', '/v1/webhook-endpoints', {
        url: `https://example.com/${count}`,
        eventTypes: ['dispute.opened'],
      });
    expect((await api.post('/v1/webhook-endpoints', { url: 'https://example.com/' })).body.code).to.equal(
      'too_many_endpoints',
    );
    const rows = await sql('select secret from webhook_endpoints where workspace_id = $1');
    expect(rows.some(({ secret: sealed }) => String(sealed).includes(secret.slice(6, 20)))).to.equal(false);
  });
});
