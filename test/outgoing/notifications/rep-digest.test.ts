import { expect } from 'chai';
import { readPagesThrough } from '#src/app/read-pages.js';
import { addDays, mondayOf } from '#src/kernel/day.js';
import { Notifications } from '#src/outgoing/notifications/notifications.js';
import { type ReadPages } from '#src/outgoing/notifications/pages-of-person.js';
import { RepDigest } from '#src/outgoing/notifications/rep-digest.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { won } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const today = new Date().toISOString().slice(0, 10);
const month = today.slice(0, 7);
/** The first Monday on which mails are sent. The week before it has everything that a test does. */
const monday = addDays(mondayOf(today), 7);
const log = { warn: () => undefined };
const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('the weekly mail to people about their pay', () => {
  const service = Service.duringSuite({
    settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pay@example.com', PUBLIC_URL: 'https://pay.test' },
  });
  let workspace: Workspace;
  let api: ApiClient;
  let ann: string;
  let bob: string;

  /** Ann has won 60,000 of 100,000 and may win 30,000; Bob has other deals, and Zoe has nothing. */
  beforeEach(async () => {
    workspace = await service.workspace({ name: 'Acme', currency: 'USD' });
    ({ api } = workspace);
    const email = (name: string) => ({ name, email: `${name.toLowerCase()}.${workspace.workspaceId}@x.io` });
    [ann, bob] = await api.saveReps(email('Ann'), email('Bob'), email('Zoe'));
    const rule = { name: 'New business', measure: 'amount', attainmentPeriod: 'monthly', tierMode: 'full_rate', tiers };
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [rule] } }, [ann, bob]);
    await api.setQuota([ann, bob], 'New business', month, 100_000);
    // A calculation that is requested for two causes states the first one.
    await workspace.calculated();
    const last = addDays(`${addDays(`${month}-28`, 4).slice(0, 7)}-01`, -1);
    const open = { stage: 'Proposal', closeDate: last, fields: { probability: 50 } };
    const deals = [
      { dealId: 'Won by Ann', repId: ann, amount: 60_000, stage: 'Won', closeDate: today },
      { dealId: 'Open of Ann', repId: ann, amount: 30_000, ...open },
      { dealId: 'Won by Bob', repId: bob, amount: 7000, stage: 'Won', closeDate: today },
    ];
    await api.expect(200, 'POST', '/v1/deals/import', { deals: deals.map((deal) => ({ name: deal.dealId, ...deal })) });
    await workspace.calculated();
  });

  const turnOn = (change: object = {}) =>
    api.expect(200, 'PATCH', '/v1/workspaces', { repDigest: { enabled: true, ...change } });

  /** Runs the work at a time of UTC, the zone of the workspace. */
  async function run(day: string, time: string, change: { readPages?: ReadPages; post?: Notifications['post'] } = {}) {
    const { unitOfWork, parts, dispatcher } = service.running.service;
    const notifications = parts.resolve(Notifications);
    const sending = {
      isEnabled: notifications.isEnabled.bind(notifications),
      post: change.post ?? notifications.post.bind(notifications),
    };
    const readPages = change.readPages ?? readPagesThrough(dispatcher);
    const clock = { now: () => new Date(`${day}T${time}:00Z`) };
    await new RepDigest(unitOfWork, sending, readPages, clock, log).run();
  }

  const mailsTo = (name: string) => service.mailsTo(`${name}.${workspace.workspaceId}@x.io`);
  const counts = async () => [
    (await mailsTo('ann')).length,
    (await mailsTo('bob')).length,
    (await mailsTo('zoe')).length,
  ];

  it('is off until an admin turns it on, from the next Monday on, which the audit log has', async () => {
    await run(monday, '12:00');
    expect(await counts()).to.deep.equal([0, 0, 0]);
    expect(await api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('repDigest');
    await turnOn();
    const on = { enabled: true, from: monday, quietHours: { from: '20:00', to: '08:00' } };
    expect((await api.expect(200, 'GET', '/v1/workspaces')).repDigest).to.deep.equal(on);
    const entries = await workspace.sql<{ content: string }>(
      'select content from audit_entries where workspace_id = $1 order by at desc limit 1',
    );
    expect(entries[0]?.content).to.include('updateWorkspace').and.include('rep_digest').and.include(monday);
    await run(addDays(monday, -1), '12:00');
    expect(await counts()).to.deep.equal([0, 0, 0]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { repDigest: { enabled: false } });
    await run(monday, '12:00');
    expect(await counts()).to.deep.equal([0, 0, 0]);
    for (const quietHours of [{ from: '8:00', to: '20:00' }, { from: '08:00', to: '08:00' }, { from: '08:00' }])
      await expectError(
        '400 VALIDATION_FAILED',
        api.patch('/v1/workspaces', { repDigest: { enabled: true, quietHours } }),
      );
  });

  it('is sent once in a week, outside the quiet hours, also by several runs at once and late ones', async () => {
    await turnOn({ quietHours: { from: '18:00', to: '09:00' } });
    for (const time of ['00:00', '08:59', '18:00', '23:59']) await run(monday, time);
    expect(await counts()).to.deep.equal([0, 0, 0]);
    await Promise.all([run(monday, '09:00'), run(monday, '09:00'), run(monday, '09:01')]);
    expect(await counts(), 'nothing to say to Zoe').to.deep.equal([1, 1, 0]);
    await run(addDays(monday, 6), '17:59');
    expect(await counts()).to.deep.equal([1, 1, 0]);
    await run(addDays(monday, 10), '12:00');
    await run(addDays(monday, 13), '12:00');
    expect(await counts()).to.deep.equal([2, 2, 0]);
    await turnOn({ quietHours: null });
    await run(addDays(monday, 14), '03:00');
    expect(await counts()).to.deep.equal([3, 3, 0]);
  });

  it('is sent by a later run if its worker ends before the commit, or if its pages cannot be read', async () => {
    await turnOn();
    const failing = async () => {
      throw new Error('the worker ends');
    };
    await run(monday, '12:00', { post: failing });
    await run(monday, '12:10', { readPages: failing });
    expect(await counts()).to.deep.equal([0, 0, 0]);
    await run(monday, '12:20');
    expect(await counts()).to.deep.equal([1, 1, 0]);
  });

  it('is not sent to people who have turned it off, and who are not active', async () => {
    await turnOn();
    const asAnn = await workspace.as(ann);
    await asAnn.expect(200, 'PUT', '/v1/mail-preferences', { disabled: ['pay_digest'] });
    await api.expect(200, 'PATCH', `/v1/reps/${bob}`, { active: false });
    await run(monday, '12:00');
    expect(await counts()).to.deep.equal([0, 0, 0]);
  });

  it('says what the pages of the person say, and nothing of others', async () => {
    await turnOn({ quietHours: null });
    await run(monday, '00:00');
    const [mail] = await mailsTo('ann');
    const asAnn = await workspace.as(ann);
    const since = mondayOf(today);
    const own = await asAnn.expect(200, 'GET', `/v1/commissions?repId=${ann}`);
    const updates = await asAnn.expect(200, 'GET', `/v1/updates?repId=${ann}&since=${since}T00:00:00Z`);
    const forecast = await asAnn.expect(200, 'GET', `/v1/forecast?repId=${ann}`);
    // 8 % of 60,000; with 30,000 at 50 % on average 6,000; 40,000 until 12 %.
    expect([own.earnings.total, updates.totals[0].change, forecast.expected]).to.deep.equal([4800, 4800, 6000]);
    const paragraphs = [
      `Earned in ${month} so far: USD 4,800.00.`,
      `New since ${since}: USD +4,800.00.`,
      'USD +4,800.00: Won by Ann (New business). Deals were imported.',
      `Next tier of New business in ${month}: from 100 %, 40,000 to go.`,
      `Expected for ${month} with your open deals: USD 6,000.00; USD 4,800.00 if you win none of them.`,
      `https://pay.test/me?period=${month}`,
      'Choose which mails you receive: https://pay.test/me/mail',
    ];
    expect(mail).to.include({ subject: 'Acme: Your pay this week', text: `${paragraphs.join('\n\n')}\n` });
    for (const paragraph of paragraphs) expect(mail?.html).to.include(`<p>${paragraph}</p>`);
    expect(`${mail?.text} ${mail?.html}`).not.to.match(/Bob|7,000|560/);
  });

  it('has nothing of the name of a deal that a mail program shows as a link', async () => {
    const name = 'Renewal, see https://evil.example/pay';
    await api.putDeal('Won by Ann', { name, repId: ann, amount: 70_000, stage: 'Won', closeDate: today });
    await workspace.calculated();
    await turnOn({ quietHours: null });
    await run(monday, '00:00');
    const [mail] = await mailsTo('ann');
    expect(mail?.text).to.include('USD +5,600.00: Renewal, see (New business).').and.not.include('evil');
  });

  it('has what statements pay, statements and payments in workspaces with payouts, and what is new since the last one', async () => {
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: `${month}-01` } });
    await turnOn();
    await run(monday, '12:00');
    // The mail of the next week has what is new since this one.
    await workspace.sql('update rep_digests set until = clock_timestamp() where workspace_id = $1');
    await api.adjust(ann, month, 100, 'Referral');
    await api.generate(ann, month);
    await api.approve(ann, month);
    await run(addDays(monday, 7), '12:00');
    const text = (await mailsTo('ann')).at(-1)?.text ?? '';
    const asAnn = await workspace.as(ann);
    const { periods } = await asAnn.expect(200, 'GET', `/v1/pay-calendar?repId=${ann}`);
    expect(periods[0].amounts).to.deep.equal([{ currency: 'USD', sure: 4900, expected: 4900 }]);
    expect(text).to.include(`Earned in ${month} so far: USD 4,900.00.`);
    expect(text).to.include(`New since ${today}: USD +100.00.\n\nUSD +100.00: Referral. An adjustment was added.\n\n`);
    expect(text).to.include(`Your statement for ${month} was approved.`);
    expect(text).to.include(`The statement of ${month} pays USD 4,900.00.`).and.not.include('Expected for');
  });
});
