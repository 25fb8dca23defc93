import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { describeService } from '#src/app/describe-service.js';
import { passUnanswered } from '#src/app/pass-unanswered.js';
import { MonthReports } from '#src/finance/month-reports.js';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { eventTypes } from '#src/outgoing/events/event-types.js';
import { ApprovalReminders } from '#src/outgoing/notifications/approval-reminders.js';
import { PayWorkspace } from '#test/pay/payables/pay-service.js';
import { type CrmWorld, crmWorlds } from '#test/support/crm-worlds.js';
import { EventReceiver, type ReceivedEvent } from '#test/support/event-receiver.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { CorrectionSearch } from '#workers/correction-search.js';

type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0];
// biome-ignore lint/suspicious/noExplicitAny: the document is read at every depth
type Loose = any;

const january = '2026-01';

/** Causes each type of event in one workspace, in an order in which one change prepares the next. */
class Causes {
  constructor(
    private readonly work: PayWorkspace,
    private readonly service: Service,
    private readonly crm: CrmWorld,
  ) {}

  async approveAndReopen(): Promise<void> {
    const { work } = this;
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.approve(january);
    await work.api.unlock(work.ben, january);
    await work.api.approve(work.ben, january);
  }

  async hold(): Promise<void> {
    await this.work.api.expect(201, 'POST', '/v1/payables/holds', { dealId: 'D', from: '2026-02-01', reason: 'Audit' });
  }

  async dispute(): Promise<void> {
    const { api, ben } = this.work;
    const objection = { repId: ben, period: january, type: 'other', description: 'The amount' };
    const { disputeId } = await api.expect(201, 'POST', '/v1/disputes', objection);
    await api.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'withdrawn', note: 'Clear now' });
  }

  async changeAfterApproval(): Promise<void> {
    const { work } = this;
    await work.deal('D', 80_000, '2026-01-15');
    await work.checked();
    await work.trueUp(january);
  }

  async pay(): Promise<void> {
    const { api } = this.work;
    const { batchId } = await api.expect(201, 'POST', '/v1/payout-batches', { period: january });
    await api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn: '2026-02-05' });
  }

  /** One person is enough here, who is signed in. */
  async keepBooks(): Promise<void> {
    const { work } = this;
    const accounting = { enabled: true, from: january, secondPerson: false };
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting });
    await work.checked();
    const [ann] = await work.api.saveReps({ email: 'ann@acme.test', name: 'Ann', role: 'admin' });
    const session = await work.as(ann as string);
    await session.expect(200, 'PUT', '/v1/accounting/entities/uk', { name: 'Acme Ltd.', payrollTax: [], accounts: {} });
    await session.expect(200, 'PUT', `/v1/reps/${work.ben}/entities`, { entities: [] });
    await session.expect(200, 'PUT', `/v1/accounting/estimates/${january}`, { estimates: [] });
    const policy = { from: january, position: 1, match: {}, treatment: 'capitalise', period: { months: 36 } };
    await session.expect(201, 'POST', '/v1/accounting/policies/Contracts/versions', policy);
    await session.expect(200, 'POST', '/v1/accounting/policies/Contracts/versions/1/approve');
    const debt = { repId: work.ben, currency: 'USD', amount: 1, day: `${january}-31`, reason: 'Left' };
    const { writeOffId } = await session.expect(201, 'POST', '/v1/accounting/write-offs', debt);
    await session.expect(200, 'POST', `/v1/accounting/write-offs/${writeOffId}/approve`);
    const path = `/v1/accounting/months/${january}`;
    const { hash } = await session.expect(200, 'POST', `${path}/prepare`);
    await session.expect(200, 'POST', `${path}/close`, { hash });
    await this.correctBooks();
    const reopen = () => session.expect(200, 'POST', `${path}/reopen`, { reason: 'A batch was missing' });
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { ...accounting, secondPerson: true } });
    await reopen();
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting });
    await reopen();
  }

  private async correctBooks(): Promise<void> {
    const { work, service } = this;
    await work.deal('Late', 20_000, '2026-01-16');
    await work.checked();
    await work.trueUp(january);
    const { unitOfWork, clock, parts, log } = service.running.service;
    await new CorrectionSearch(unitOfWork, parts.resolve(MonthReports), clock, log).run();
  }

  async loseAndRegainCrm(): Promise<void> {
    const { api } = this.work;
    await this.crm.connect(api, this.service.url);
    await api.expect(200, 'POST', '/v1/commissions/sync', {});
    this.crm.oauth.revokeAll();
    await api.expect(400, 'POST', '/v1/commissions/sync', {});
    await this.crm.connect(api, this.service.url);
  }

  async signAndPropose(): Promise<void> {
    const { work } = this;
    const { api, ben } = work;
    const [amy, bob] = await api.saveReps({ name: 'Amy', role: 'admin' }, { name: 'Bob', role: 'admin' });
    const [first, second] = [await work.as(amy), await work.as(bob)];
    const period = '2026-03';
    const terms = {
      approvalSteps: [{ name: 'Admin', by: { role: 'admin' }, dueDays: 3 }],
      adjustmentLimits: [{ above: 0, by: { role: 'admin' } }],
    };
    await api.expect(200, 'PATCH', '/v1/workspaces', terms);
    const added = { period, amount: 10, reason: 'Contest' };
    const { adjustmentId } = await first.expect(202, 'POST', `/v1/statements/${ben}/adjust`, added);
    await second.expect(200, 'POST', `/v1/adjustments/${adjustmentId}/approve`, {});
    await work.calculated();
    await api.generate(ben, period);
    await this.remind();
    await first.expect(200, 'POST', `/v1/statements/${ben}/approve`, { period, status: 'approved', force: true });
  }

  private async remind(): Promise<void> {
    const { work, service } = this;
    await service.sql(
      `with changed as (update workspaces
         set approval_steps = jsonb_set(approval_steps, '{0,since}', to_jsonb(now() - interval '9 days')) where workspace_id = $1)
       update statements set generated_at = generated_at - interval '9 days' where workspace_id = $1`,
      work.workspaceId,
    );
    const { unitOfWork, clock, parts, log } = service.running.service;
    const laneRunner = parts.resolve(LaneRunner);
    const pass = passUnanswered({ unitOfWork, laneRunner, clock });
    await new ApprovalReminders(unitOfWork, { post: async () => undefined }, clock, pass, log).run();
  }

  async acceptPlan(): Promise<void> {
    const { work } = this;
    const { planVersionId } = await work.api.createPlan(
      { name: 'Signed', config: { rules: [flatRule('Signed', 0.01)] } },
      [work.ben],
    );
    const path = `/v1/plans/${planVersionId}`;
    await work.api.expect(200, 'PUT', `${path}/acceptance`, { acceptance: 'required' });
    const ben = await work.as(work.ben);
    await ben.expect(200, 'POST', `${path}/decline`, { reason: 'Too low' });
    const { sha256 } = await ben.expect(200, 'GET', `${path}/document`);
    await ben.expect(200, 'POST', `${path}/acceptances`, { signedName: 'Ben', sha256 });
  }

  /** The eighth failure of a calculation ends the job; the first seven take minutes. */
  async failCalculation(): Promise<void> {
    const { work, service } = this;
    await work.calculated();
    await service.sql(`create function fail_run() returns trigger language plpgsql as
      $$ begin raise exception 'injected fault' using errcode = '22012'; end $$`);
    await service.sql(`create trigger fail_run before insert on audit_runs for each row
      when (new.outcome not in ('failed', 'requested')) execute function fail_run()`);
    await service.sql(
      'update lanes set attempts = 7 where workspace_id = $1 and rep_id = $2',
      work.workspaceId,
      work.ben,
    );
    await work.api.expect(200, 'POST', '/v1/commissions/recalculate', { repId: work.ben, async: true });
  }
}

describe('every documented type of event', () => {
  let crm: CrmWorld;
  let service: Service;
  let receiver: EventReceiver;
  let secret: string;

  before(async () => {
    crm = await (crmWorlds[0] as (typeof crmWorlds)[number]).start();
    service = await Service.start({ crms: [crm] });
    receiver = await EventReceiver.start();
    const work = await PayWorkspace.create(service);
    const { api } = work;
    const endpoint = await api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url });
    ({ secret } = endpoint);
    const causes = new Causes(work, service, crm);
    await causes.approveAndReopen();
    await causes.hold();
    await causes.dispute();
    await causes.changeAfterApproval();
    await causes.pay();
    await causes.keepBooks();
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await causes.loseAndRegainCrm();
    await causes.signAndPropose();
    await causes.acceptPlan();
    const { planId } = await api.createPlan({ name: 'Contest', config: { rules: [flatRule('Contest', 0.01)] } }, []);
    await api.expect(200, 'PATCH', `/v1/plans/${planId}/status`, { status: 'archived' });
    const rates = { keys: [], columns: [{ name: 'rate' }], rows: [{ keys: {}, values: { rate: 0.1 } }] };
    await api.expect(200, 'PUT', '/v1/rate-tables/Contest', rates);
    await causes.failCalculation();
    const missing = () => Object.keys(eventTypes).filter((type) => of(type).length === 0);
    await until(() => missing().length === 0).catch(() => expect(missing()).to.deep.equal([]));
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
    await crm?.stop();
  });

  const of = (type: string): ReceivedEvent[] => receiver.received.filter(({ body }) => body.type === type);
  const document: Loose = describeService('3.1');
  const validators = new AjvJsonSchemaValidator();

  it('is described as a webhook in the OpenAPI document', () => {
    expect(Object.keys(document.webhooks).sort()).to.deep.equal(Object.keys(eventTypes).sort());
  });

  for (const type of Object.keys(eventTypes))
    it(`${type} is delivered as its schema says, with a signature that standardwebhooks accepts`, () => {
      const { schema } = document.webhooks[type].post.requestBody.content['application/json'];
      const validate = validators.getValidator({ ...schema, components: document.components } as Schema);
      expect(validate({ type, timestamp: '2026-01-01T00:00:00.000Z', data: {} }).valid, 'no data').to.equal(false);
      for (const { text, headers, body } of of(type)) {
        expect(new Webhook(secret).verify(text, headers as Record<string, string>)).to.deep.equal(body);
        expect(validate(body).errorMessage, text).to.equal(undefined);
      }
      const [{ text, headers }] = of(type) as [ReceivedEvent];
      expect(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>)).to.throw('signature');
    });
});
