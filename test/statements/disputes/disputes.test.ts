import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const period = '2026-01';

describe('disputes', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  let ben: ApiClient;
  let mia: ApiClient;
  let ada: ApiClient;
  let kim: string;

  before(async () => {
    workspace = await WorkedExample.create(service);
    kim = await workspace.addRep('Kim');
    ben = await workspace.as(workspace.ben);
    mia = await workspace.as(workspace.mia);
    ada = await workspace.as(await workspace.addRep('Ada', 'admin'));
  });

  const open = (client: ApiClient, more: object = {}) =>
    client.expect(201, 'POST', '/v1/disputes', {
      period,
      type: 'wrong_amount',
      description: 'It was signed at 15,000.',
      ...more,
    });
  const move = (client: ApiClient, disputeId: string, body: object) => client.patch(`/v1/disputes/${disputeId}`, body);

  it('stores the trace of the deal and the statement as they were when it was opened', async () => {
    const dispute = await open(ben, { dealId: 'D1', expectedAmount: 1200.5 });
    expect(dispute).to.deep.include({
      repId: workspace.ben,
      repName: 'Ben',
      period,
      dealId: 'D1',
      type: 'wrong_amount',
      status: 'open',
      expectedAmount: 1200.5,
      currency: 'USD',
      openedBy: { repId: workspace.ben, name: 'Ben' },
      adjustmentId: null,
    });
    const { statement, deal, events, outcomes } = dispute.evidence;
    expect([statement, deal]).to.deep.equal([
      { status: 'none', version: 0, netPayout: 4800, currency: 'USD' },
      'owned',
    ]);
    expect(events[0].trace.amount).to.equal(events[0].amount);
    expect(outcomes[0]).to.include({ paid: true, ruleName: 'New business' });

    await workspace.deal('D1', 1, '2026-01-15');
    await workspace.calculated();
    expect((await ben.expect(200, 'GET', `/v1/disputes/${dispute.disputeId}`)).evidence).to.deep.equal(
      dispute.evidence,
    );
    await move(ben, dispute.disputeId, { status: 'withdrawn' });
  });

  it('names the earlier ones about the same that are not decided', async () => {
    const other = await WorkedExample.create(service);
    const rep = await other.as(other.ben);
    const about = { type: 'other', description: 'Nothing was paid.' };
    const first = await open(rep, about);
    expect(first).not.to.have.property('alsoOpen');
    const second = await open(rep, about);
    expect(second.alsoOpen).to.deep.equal([first.disputeId]);
    expect(await open(rep, { ...about, period: '2026-02' })).not.to.have.property('alsoOpen');
    for (const { disputeId } of [first, second]) await move(rep, disputeId, { status: 'withdrawn' });
    expect(await open(rep, about)).not.to.have.property('alsoOpen');
  });

  it('stores the reasons why nothing was paid', async () => {
    await workspace.deal('lost', 500, '2026-01-16', { currency: 'EUR' });
    const { evidence } = await open(ben, { dealId: 'lost', type: 'missing_deal' });
    expect(evidence.events).to.deep.equal([]);
    expect(evidence.outcomes[0]).to.include({ paid: false, reason: 'currency_mismatch' });
    const { disputes } = await ben.expect(200, 'GET', '/v1/disputes?status=open');
    await move(ben, disputes[0].disputeId, { status: 'withdrawn' });
  });

  it('accepts a claim to a deal that is unknown or of another rep, and shows nothing of the deal', async () => {
    await workspace.api.expect(201, 'PUT', '/v1/deals/secret', {
      name: 'Secret',
      amount: 10,
      closeDate: '2026-01-16',
      repId: kim,
    });
    const claims = [
      await open(ben, { dealId: 'nowhere', type: 'missing_deal' }),
      await open(ben, { dealId: 'secret', type: 'wrong_credit' }),
    ];
    expect(claims.map(({ evidence, dealName }) => [evidence.deal, evidence.outcomes, dealName])).to.deep.equal([
      ['not_owned', [], null],
      ['not_owned', [], null],
    ]);
    const forDeciding = await Promise.all(
      claims.map(async ({ disputeId }) => (await mia.expect(200, 'GET', `/v1/disputes/${disputeId}`)).evidence.deal),
    );
    expect(forDeciding).to.deep.equal(['unknown', 'not_owned']);
    for (const { disputeId } of claims) await move(ben, disputeId, { status: 'withdrawn' });
    const responses = [];
    for (const type of ['wrong_amount', 'wrong_plan', 'other'])
      for (const dealId of ['nowhere', 'secret']) {
        const { message } = await ben.expect(404, 'POST', '/v1/disputes', { period, type, description: 'x', dealId });
        responses.push(message);
      }
    expect(new Set(responses).size).to.equal(1);
    await mia.expect(404, 'POST', '/v1/disputes', {
      period,
      type: 'other',
      description: 'x',
      dealId: 'nowhere',
      repId: workspace.ben,
    });
    const byManager = await open(mia, { dealId: 'secret', type: 'other', repId: workspace.ben });
    expect(byManager.evidence.deal).to.equal('not_owned');
    await move(mia, byManager.disputeId, { status: 'withdrawn' });
  });

  it('objects to an amount on a deal only in a period that has an amount for it or its close date', async () => {
    const opened = async (more: object) => {
      const body = { period, type: 'wrong_amount', description: 'x', ...more };
      const answer = await ben.post('/v1/disputes', body);
      if (answer.status === 201) await move(ben, answer.body.disputeId, { status: 'withdrawn' });
      return [answer.status, answer.body.details?.issues.map(({ path }: { path: string }) => path)];
    };
    await workspace.deal('undated', 500, '2026-01-16');
    await workspace.deal('undated', 500, '', { closeDate: null });
    await workspace.calculated();
    const [event] = (await ben.expect(200, 'GET', '/v1/commissions?dealId=D2')).events;
    const rejected = [400, ['dealId']];
    expect(await opened({ dealId: 'D2' })).to.deep.equal(rejected);
    expect(await opened({ dealId: 'D2', type: 'wrong_plan' })).to.deep.equal(rejected);
    expect(await opened({ dealId: 'undated', period: '2026-02' })).to.deep.equal(rejected);
    expect(await opened({ eventId: event.eventId })).to.deep.equal([400, ['eventId']]);
    const accepted = [201, undefined];
    expect(await opened({ dealId: 'D2', period: '2026-02' })).to.deep.equal(accepted);
    expect(await opened({ dealId: 'D2', period: '2026-Q1' })).to.deep.equal(accepted);
    expect(await opened({ dealId: 'D2', type: 'missing_deal' })).to.deep.equal(accepted);
    expect(await opened({ dealId: 'D2', type: 'other' })).to.deep.equal(accepted);
    // January paid the deal before its close date was removed.
    expect(await opened({ dealId: 'undated' })).to.deep.equal(accepted);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/undated');
    await workspace.calculated();
  });

  it('is about an event of the rep, whose deal it takes over', async () => {
    const breakdown = await ben.expect(200, 'GET', '/v1/commissions?dealId=D2');
    const { eventId } = breakdown.events[0];
    const dispute = await open(ben, { eventId, period: '2026-02' });
    expect(dispute).to.include({ eventId, dealId: 'D2' });
    await move(ben, dispute.disputeId, { status: 'withdrawn' });
    const other = { period, type: 'other', description: 'x', eventId, repId: kim };
    expect((await mia.expect(404, 'POST', '/v1/disputes', other)).code).to.equal('event_not_found');
    const wrong = { period: '2026-02', type: 'other', description: 'x', eventId, dealId: 'D1' };
    expect((await ben.expect(400, 'POST', '/v1/disputes', wrong)).code).to.equal('VALIDATION_FAILED');
  });

  it('is opened and read by reps only for themselves; managers, payroll and admins read all', async () => {
    const dispute = await open(mia, { repId: workspace.ben });
    const kimsClient = await workspace.as(kim);
    const denied = { period, type: 'other', description: 'x', repId: workspace.ben };
    expect((await kimsClient.expect(403, 'POST', '/v1/disputes', denied)).code).to.equal('forbidden');
    await kimsClient.expect(403, 'GET', `/v1/disputes/${dispute.disputeId}`);
    await kimsClient.expect(403, 'GET', `/v1/disputes?repId=${workspace.ben}`);
    expect((await kimsClient.expect(200, 'GET', '/v1/disputes')).count).to.equal(0);
    const payroll = await service.as(workspace.workspaceId, await workspace.addRep('Pat', 'payroll'));
    for (const client of [ben, ada, payroll, workspace.api]) {
      const listed = await client.expect(200, 'GET', `/v1/disputes?status=open&period=${period}`);
      expect(listed.disputes.map(({ disputeId }: { disputeId: string }) => disputeId)).to.deep.equal([
        dispute.disputeId,
      ]);
      await client.expect(200, 'GET', `/v1/disputes/${dispute.disputeId}`);
    }
    expect((await move(payroll, dispute.disputeId, { status: 'in_review' })).status).to.equal(403);
    await move(mia, dispute.disputeId, { status: 'withdrawn' });
  });

  it('is decided by another person than the rep and who opened it, and withdrawn only by who opened it', async () => {
    const byBen = (await open(ben)).disputeId;
    const byMia = (await open(mia, { repId: workspace.ben })).disputeId;
    const code = async (client: ApiClient, id: string, status: string) =>
      (await move(client, id, { status })).body.code ?? 'done';
    expect(await code(ben, byBen, 'accepted')).to.equal('forbidden');
    expect(await code(mia, byBen, 'withdrawn')).to.equal('forbidden');
    expect(await code(mia, byMia, 'rejected')).to.equal('forbidden');
    expect(await code(ben, byMia, 'withdrawn')).to.equal('forbidden');
    expect(await code(mia, byBen, 'in_review')).to.equal('done');
    expect(await code(ada, byMia, 'rejected')).to.equal('done');
    expect(await code(mia, byBen, 'rejected')).to.equal('done');
    expect(await code(ben, byBen, 'withdrawn')).to.equal('invalid_transition');

    const own = (await open(mia)).disputeId;
    const key = (await ada.expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 })).apiKey;
    const byKey = (await open(service.client(key), { repId: workspace.ben })).disputeId;
    expect(await code(ada, byKey, 'accepted')).to.equal('forbidden');
    expect(await code(ada, byKey, 'withdrawn')).to.equal('done');
    expect(await code(mia, own, 'accepted')).to.equal('forbidden');
    expect(await code(ada, own, 'accepted')).to.equal('done');
  });

  it('is decided by a person, and not by a key of no person, if such a key opened it', async () => {
    const { disputeId } = await open(workspace.api, { repId: workspace.ben });
    for (const status of ['in_review', 'accepted', 'rejected'])
      await expectError('403 forbidden', move(workspace.api, disputeId, { status }), status);
    const byBen = (await open(ben)).disputeId;
    expect((await move(workspace.api, byBen, { status: 'rejected' })).status).to.equal(200);
    expect((await move(mia, disputeId, { status: 'rejected' })).status).to.equal(200);
  });

  it('records every step with person, note and time', async () => {
    const { disputeId } = await open(ben);
    await move(mia, disputeId, { status: 'in_review', note: 'Checking' });
    await expectError('409 invalid_transition', move(mia, disputeId, { status: 'in_review' }));
    await move(ada, disputeId, { status: 'rejected', note: 'The contract says 10,000.' });
    const { history, status } = await ben.expect(200, 'GET', `/v1/disputes/${disputeId}`);
    expect(status).to.equal('rejected');
    expect(
      history.map((step: { status: string; by: { name: string }; note: string }) => [
        step.status,
        step.by.name,
        step.note,
      ]),
    ).to.deep.equal([
      ['open', 'Ben', null],
      ['in_review', 'Mia', 'Checking'],
      ['rejected', 'Ada', 'The contract says 10,000.'],
    ]);
    expect(history.every(({ at }: { at: string }) => Number.isFinite(Date.parse(at)))).to.equal(true);
  });

  it('has the comments of the same rep, period and deal as its thread', async () => {
    const { disputeId } = await open(ben, { dealId: 'D1' });
    const comment = (body: string, more: object) =>
      ben.expect(201, 'POST', `/v1/statements/${workspace.ben}/comments`, { period, body, ...more });
    await comment('about the deal', { dealId: 'D1' });
    await comment('about the statement', {});
    const { comments } = await mia.expect(200, 'GET', `/v1/disputes/${disputeId}`);
    expect(comments.map(({ body }: { body: string }) => body)).to.deep.equal(['about the deal']);
    await move(ben, disputeId, { status: 'withdrawn' });
  });

  it('adds one adjustment on acceptance, only by admins and only in a period that is not approved', async () => {
    const { disputeId } = await open(ben, { dealId: 'D1' });
    const accepted = { status: 'accepted', adjustment: { amount: 75, period: '2026-04' } };
    await expectError('403 forbidden', move(mia, disputeId, accepted));
    await expectError('400 VALIDATION_FAILED', move(ada, disputeId, { ...accepted, status: 'rejected' }));
    await workspace.generateAndApprove('2026-05');
    const frozen = { status: 'accepted', adjustment: { amount: 75, period: '2026-05' } };
    await expectError('409 statement_locked', move(ada, disputeId, frozen));
    expect((await ben.expect(200, 'GET', `/v1/disputes/${disputeId}`)).status).to.equal('open');

    const done = (await move(ada, disputeId, accepted)).body;
    await expectError('409 invalid_transition', move(ada, disputeId, accepted));
    const { lineItems } = await ben.expect(200, 'GET', `/v1/statements?repId=${workspace.ben}&period=2026-04`);
    expect(lineItems).to.have.length(1);
    expect(lineItems[0]).to.deep.include({
      eventId: done.adjustmentId,
      amount: 75,
      dealId: 'D1',
      reason: `Dispute ${disputeId}`,
    });
    await workspace.expectSoundLedger();
  });

  describe('and approvals', () => {
    let disputeId: string;
    before(async () => {
      await workspace.generate('2026-Q1');
      ({ disputeId } = await open(ben, { period: '2026-02' }));
    });

    const approve = (body: object = {}) =>
      workspace.api.post(`/v1/statements/${workspace.ben}/approve`, { period: '2026-Q1', status: 'approved', ...body });

    it('an open dispute about days of the period rejects its approval, alone and among others', async () => {
      const { status, body } = await approve();
      expect([status, body.code, body.details]).to.deep.equal([409, 'open_dispute', { disputeIds: [disputeId] }]);
      const { statements } = await workspace.api.expect(200, 'GET', '/v1/statements?period=2026-Q1');
      const { version } = statements.find(({ repId }: { repId: string }) => repId === workspace.ben);
      await workspace.api.generate(kim, '2026-Q1');
      const bulk = await workspace.api.expect(200, 'POST', '/v1/statements/approve', {
        period: '2026-Q1',
        statements: [
          { repId: workspace.ben, version },
          { repId: kim, version: 1 },
        ],
      });
      expect(bulk.refused.map(({ repId, code }: { repId: string; code: string }) => [repId, code])).to.deep.equal([
        [workspace.ben, 'open_dispute'],
      ]);
      expect(bulk.approved).to.have.length(1);
    });

    it('does not reject an approval with the setting blockApprovalOnDispute false', async () => {
      const set = (blockApprovalOnDispute: boolean) =>
        workspace.api.expect(200, 'PATCH', '/v1/workspaces', { blockApprovalOnDispute });
      await set(false);
      expect((await workspace.api.expect(200, 'GET', '/v1/workspaces')).blockApprovalOnDispute).to.equal(false);
      expect((await approve()).status).to.equal(200);
      await approve({ status: 'draft' });
      await set(true);
      await expectError('409 open_dispute', approve());
    });

    it('does not reject an approval once it is decided', async () => {
      await move(mia, disputeId, { status: 'rejected' });
      expect((await approve()).status).to.equal(200);
    });
  });
});
