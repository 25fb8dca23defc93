import { expect } from 'chai';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient } from '#test/support/api-client.js';
import { pdfText } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const operations: readonly AnyOperation[] = declared;

type Probe = readonly [request: string, body?: unknown];

interface Probes {
  /** What Ann may do: the response contains nothing of what Bob earns. */
  readonly own?: readonly Probe[];
  /** What names Bob or something of him: an error, which contains nothing of him either. */
  readonly ofBob?: readonly Probe[];
}

const dispute = { period: '2026-01', dealId: 'shared', type: 'wrong_credit', description: 'I sold all of it.' };
const simulated = { planId: '<plan>', period: '2026-Q1', repId: '<ann>' };

/**
 * For every operation that a rep may call: requests of Ann about a deal that Bob owns and of which she has 60 %, and
 * about Bob. An operation without a row fails the test. Empty for operations without data of deals and of people.
 */
const probes: Readonly<Record<string, Probes>> = {
  listIntegrations: { own: [['GET /auth/workspace/integrations']] },
  getAuthStatus: {},
  getProfile: { own: [['GET /auth/me']] },
  confirmSession: {},
  logOut: {},
  listFields: { own: [['GET /v1/fields']] },
  listFieldAttributes: { own: [['GET /v1/fields/attributes']] },
  listFieldOptions: { own: [['GET /v1/fields/attributes/stage/options']] },
  autoMatchFields: {},
  getFieldMapping: {},
  getCommissions: {
    own: [
      ['GET /v1/commissions?dealId=shared'],
      ['GET /v1/commissions?dealId=shared&repId=<bob>'],
      ['GET /v1/commissions?repId=<ann>&period=2026-01'],
      ['GET /v1/commissions?repId=<ann>&period=2026-01&asOf=<now>'],
    ],
    ofBob: [
      ['GET /v1/commissions?repId=<bob>&period=2026-01'],
      ['GET /v1/commissions?repId=<bob>&period=2026-01&asOf=<now>'],
      ['GET /v1/commissions?dealId=shared&asOf=<yesterday>'],
      ['GET /v1/commissions?dealId=of-bob'],
      ['GET /v1/commissions?period=2026-01'],
    ],
  },
  getCommissionsDashboard: {
    own: [
      ['GET /v1/commissions/dashboard?dealId=shared'],
      ['GET /v1/commissions/dashboard?repId=<ann>&period=2026-01'],
    ],
    ofBob: [
      ['GET /v1/commissions/dashboard?repId=<bob>&period=2026-01'],
      ['GET /v1/commissions/dashboard?dealId=of-bob'],
    ],
  },
  listCommissionPeriods: {
    own: [['GET /v1/commissions/periods?repId=<ann>'], ['GET /v1/commissions/periods']],
    ofBob: [['GET /v1/commissions/periods?repId=<bob>']],
  },
  explainCommission: {
    own: [['GET /v1/commissions/events/<annsevent>']],
    ofBob: [['GET /v1/commissions/events/<bobsevent>']],
  },
  getForecast: {
    own: [['GET /v1/forecast?repId=<ann>&period=2026-Q1'], ['GET /v1/forecast?repId=<ann>&period=2026-Q1&goal=100000']],
    ofBob: [['GET /v1/forecast?repId=<bob>&period=2026-Q1'], ['GET /v1/forecast?period=2026-Q1']],
  },
  getPayCalendar: { own: [['GET /v1/pay-calendar?repId=<ann>']], ofBob: [['GET /v1/pay-calendar?repId=<bob>']] },
  getUpdates: {
    own: [['GET /v1/updates?repId=<ann>&since=2020-01-01T00:00:00Z']],
    ofBob: [['GET /v1/updates?repId=<bob>&since=2020-01-01T00:00:00Z']],
  },
  recordVisit: {},
  simulateCommissions: {
    own: [
      ['POST /v1/commissions/simulate', simulated],
      ['POST /v1/commissions/simulate', { ...simulated, deals: [{ dealId: 'open', amount: 70_000 }] }],
    ],
    ofBob: [
      ['POST /v1/commissions/simulate', { ...simulated, repId: '<bob>' }],
      ['POST /v1/commissions/simulate', { planId: '<plan>', period: '2026-Q1', repIds: ['<ann>', '<bob>'] }],
      ['POST /v1/commissions/simulate', { ...simulated, planId: '<bobsplan>' }],
      [
        'POST /v1/commissions/simulate',
        { ...simulated, deals: [{ dealId: 'open', credits: [{ repId: '<bob>', percent: 100 }] }] },
      ],
      ['POST /v1/commissions/simulate', { ...simulated, deals: [{ dealId: 'of-bob', amount: 70_000 }] }],
    ],
  },
  listDeals: {
    own: [
      ['GET /v1/deals'],
      ['GET /v1/deals?repId=<ann>'],
      ['GET /v1/deals?query=deal&totals=true'],
      ['GET /v1/deals?paid=true&after='],
    ],
    ofBob: [['GET /v1/deals?repId=<bob>']],
  },
  getDealCredits: {
    own: [['GET /v1/deals/shared/credits'], ['GET /v1/deals/shared/credits?asOf=<now>']],
    ofBob: [['GET /v1/deals/of-bob/credits'], ['GET /v1/deals/of-bob/credits?asOf=<now>']],
  },
  getDealLines: {
    own: [['GET /v1/deals/shared/lines'], ['GET /v1/deals/shared/lines?asOf=<now>']],
    ofBob: [['GET /v1/deals/of-bob/lines'], ['GET /v1/deals/of-bob/lines?asOf=<now>']],
  },
  getDeal: { own: [['GET /v1/deals/shared']], ofBob: [['GET /v1/deals/of-bob']] },
  listDealHistory: { own: [['GET /v1/deals/shared/history']], ofBob: [['GET /v1/deals/of-bob/history']] },
  listPlans: { own: [['GET /v1/plans'], ['GET /v1/plans?versions=all']], ofBob: [['GET /v1/plans?repId=<bob>']] },
  listPlanTemplates: {},
  getPlanTemplate: {},
  getPlan: { own: [['GET /v1/plans/<plan>']], ofBob: [['GET /v1/plans/<bobsplan>']] },
  getPlanHistory: { own: [['GET /v1/plans/<plan>/history']], ofBob: [['GET /v1/plans/<bobsplan>/history']] },
  listPlanOverrides: {
    own: [['GET /v1/plans/<version>/overrides']],
    ofBob: [['GET /v1/plans/<bobsversion>/overrides']],
  },
  listAssignments: {
    own: [['GET /v1/assignments'], ['GET /v1/assignments?planId=<plan>']],
    ofBob: [['GET /v1/assignments?repId=<bob>']],
  },
  listFiscalYears: {},
  listHolidays: {},
  listQuotas: {
    own: [['GET /v1/quotas'], ['GET /v1/quotas?planId=<plan>']],
    ofBob: [['GET /v1/quotas?repId=<bob>']],
  },
  getStatements: {
    own: [
      ['GET /v1/statements?repId=<ann>&period=2026-01'],
      ['GET /v1/statements?repId=<ann>&period=2026-01&live=true'],
      ['GET /v1/statements?repId=<ann>&period=2026-01&asOf=<now>'],
    ],
    ofBob: [
      ['GET /v1/statements?repId=<bob>&period=2026-01'],
      ['GET /v1/statements?period=2026-01'],
      ['GET /v1/statements?period=2026-01&include=all'],
    ],
  },
  listExportJobs: { own: [['GET /v1/statements/export/jobs']] },
  getExportJob: { ofBob: [['GET /v1/statements/export/jobs/<bobsexport>']] },
  getExportFile: { ofBob: [['GET /v1/statements/export/jobs/<bobsexport>/file']] },
  exportStatement: {
    own: ['csv', 'json', 'pdf'].map((format) => [`GET /v1/statements/<ann>/export?period=2026-01&format=${format}`]),
    ofBob: ['csv', 'json', 'pdf', 'xlsx'].map((format) => [
      `GET /v1/statements/<bob>/export?period=2026-01&format=${format}`,
    ]),
  },
  exportPerson: { ofBob: [['POST /v1/me/export', { repId: '<bob>' }]] },
  getStatementStatus: {
    own: [['GET /v1/statements/<ann>/status?period=2026-01']],
    ofBob: [['GET /v1/statements/<bob>/status?period=2026-01']],
  },
  listRepStatements: { own: [['GET /v1/statements/<ann>/list']], ofBob: [['GET /v1/statements/<bob>/list']] },
  consentStatement: { ofBob: [['POST /v1/statements/<bob>/consent', { period: '2026-01', version: 1 }]] },
  listAdjustmentProposals: { own: [['GET /v1/adjustments']], ofBob: [['GET /v1/adjustments?repId=<bob>']] },
  getPlanDocument: { ofBob: [['GET /v1/plans/<version>/document?repId=<bob>']] },
  exportPlanDocument: { ofBob: [['GET /v1/plans/<version>/document.pdf?repId=<bob>']] },
  acceptPlan: {},
  declinePlan: {},
  listAcceptances: { own: [['GET /v1/acceptances']], ofBob: [['GET /v1/acceptances?repId=<bob>']] },
  listApprovals: { own: [['GET /v1/approvals?waitingFor=anyone']] },
  listComments: {
    own: [['GET /v1/statements/<ann>/comments?period=2026-01']],
    ofBob: [['GET /v1/statements/<bob>/comments?period=2026-01']],
  },
  addComment: {
    own: [['POST /v1/statements/<ann>/comments', { period: '2026-01', body: 'Mine', dealId: 'shared' }]],
    ofBob: [
      ['POST /v1/statements/<bob>/comments', { period: '2026-01', body: 'His', dealId: 'shared' }],
      ['POST /v1/statements/<ann>/comments', { period: '2026-01', body: 'His', dealId: 'of-bob' }],
    ],
  },
  deleteComment: { ofBob: [['DELETE /v1/statements/<bob>/comments/<bobscomment>']] },
  listDisputes: { own: [['GET /v1/disputes']], ofBob: [['GET /v1/disputes?repId=<bob>']] },
  openDispute: {
    own: [
      ['POST /v1/disputes', dispute],
      ['POST /v1/disputes', { ...dispute, type: 'wrong_amount' }],
      ['POST /v1/disputes', { ...dispute, type: 'missing_deal' }],
      // The claim may be that the deal of someone else is hers, and the response says nothing of the deal.
      ['POST /v1/disputes', { ...dispute, dealId: 'of-bob' }],
    ],
    ofBob: [
      ['POST /v1/disputes', { ...dispute, repId: '<bob>' }],
      ['POST /v1/disputes', { ...dispute, eventId: '<bobsevent>' }],
      ['POST /v1/disputes', { ...dispute, dealId: 'of-bob', type: 'wrong_amount' }],
    ],
  },
  getDispute: { own: [['GET /v1/disputes/<annsdispute>']], ofBob: [['GET /v1/disputes/<bobsdispute>']] },
  updateDispute: { ofBob: [['PATCH /v1/disputes/<bobsdispute>', { status: 'withdrawn' }]] },
  listPayables: {
    own: [['GET /v1/payables?dealId=shared'], ['GET /v1/payables?repId=<ann>']],
    ofBob: [['GET /v1/payables?repId=<bob>'], ['GET /v1/payables?repId=<bob>&dealId=shared']],
  },
  listDraws: { own: [['GET /v1/draws']], ofBob: [['GET /v1/draws?repId=<bob>']] },
  listBalances: { own: [['GET /v1/balances']], ofBob: [['GET /v1/balances?repId=<bob>']] },
  listReps: { own: [['GET /v1/reps'], ['GET /v1/reps?email=bob@x.io'], ['GET /v1/reps?ids=<bob>']] },
  listRepChoices: { own: [['GET /v1/rep-choices']] },
  getRep: { own: [['GET /v1/reps/<ann>']], ofBob: [['GET /v1/reps/<bob>']] },
  getWorkspace: { own: [['GET /v1/workspaces']] },
  getMailPreferences: {},
  setMailPreferences: {},
  listSavedViews: {},
  setSavedViews: {},
  listAgents: { own: [['GET /v1/agents']] },
  getAgentRequest: {},
  decideAgentRequest: {},
  disconnectAgent: {},
  listChangeRequests: { own: [['GET /v1/change-requests']] },
  previewChangeRequest: {},
  decideChangeRequest: {},
  whoAmI: { own: [['GET /v1']] },
  getRevision: { own: [['GET /v1/revision']] },
};

/** Calls of tools that Ann may use, about the shared deal. */
const toolCalls: readonly (readonly [tool: string, given: object])[] = [
  ['get_commissions', { dealId: 'shared' }],
  ['get_commissions', { repId: '<ann>', period: '2026-01' }],
  ['get_commissions', { repId: '<bob>', period: '2026-01' }],
  ['get_deal_credits', { dealId: 'shared' }],
  ['get_deal_credits', { dealId: 'of-bob' }],
  ['list_deals', {}],
  ['list_plans', {}],
  ['get_plan', { planId: '<plan>' }],
  ['list_plan_overrides', { planVersionId: '<version>' }],
  ['list_quotas', {}],
  ['list_assignments', {}],
  ['list_payables', {}],
  ['list_disputes', {}],
  ['list_approvals', {}],
  ['list_acceptances', {}],
  ['open_dispute', { ...dispute, repId: '<ann>' }],
  ['simulate_commissions', simulated],
  ['simulate_commissions', { ...simulated, repId: '<bob>' }],
];

describe('what a rep learns of the others on a shared deal', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let ann: ApiClient;
  const ids = new Map<string, string>();
  /** What Bob alone may know, by what it is. */
  const secrets = new Map<string, RegExp>();
  const secret = (what: string, pattern: RegExp | string) =>
    secrets.set(what, typeof pattern === 'string' ? new RegExp(pattern.replaceAll('.', '\\.')) : pattern);

  const tiers = (rate: number) => [{ tierIndex: 0, minThreshold: 0, rate }];
  const rule = { name: 'New business', measure: 'amount', tiers: tiers(0.08) };
  const dealConditions = [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }];
  const share = (dealId: string, ofAnn: number) =>
    workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/credits`, {
      credits: [
        { email: 'ann@x.io', percent: ofAnn },
        { email: 'bob@x.io', percent: 100 - ofAnn },
      ],
    });

  /** Bob is paid 13.77 % by an override, and 4.39 % by a plan of his own; of January he is owed a difference. */
  before(async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    const [mia] = await api.saveReps({ name: 'Mia', role: 'manager' });
    const [annId, bob] = await api.saveReps(
      { name: 'Ann', managerEmail: 'mia@x.io' },
      { name: 'Bob', managerEmail: 'mia@x.io' },
    );
    ids.set('ann', annId).set('bob', bob).set('mia', mia);
    await setUpPlans(annId, bob);
    for (const dealId of ['shared', 'of-bob'])
      await api.putDeal(dealId, {
        name: `Deal ${dealId}`,
        amount: 55_551,
        closeDate: '2026-01-10',
        ownerId: 'bob',
        stage: 'Won',
      });
    await api.putDeal('open', { amount: 50_000, closeDate: '2026-03-20', ownerId: 'bob', stage: 'Proposal' });
    await share('shared', 60);
    await share('open', 60);
    await workspace.calculated();
    await addStatementsOfBob(bob, annId);
    ann = await workspace.as(annId);
    ids.set('now', new Date(Date.now() - 1).toISOString());
    ids.set('yesterday', new Date(Date.now() - 86_400_000).toISOString());
  });

  async function setUpPlans(annId: string, bob: string): Promise<void> {
    const { api } = workspace;
    const plan = await api.createPlan({ name: 'AE', config: { dealConditions, rules: [rule] } }, [annId, bob]);
    ids.set('plan', plan.planId).set('version', plan.planVersionId);
    const [{ id: ruleId }] = plan.rules;
    await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${bob}`, {
      rules: [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.1377 }] }],
    });
    const own = await api.createPlan(
      { name: 'For Bob', config: { dealConditions, rules: [{ ...rule, name: 'Extra', tiers: tiers(0.0439) }] } },
      [bob],
    );
    ids.set('bobsplan', own.planId).set('bobsversion', own.planVersionId);
    await api.setQuota([annId], 'New business', '2026-Q1', 100_000);
    await api.setQuota([bob], 'New business', '2026-Q1', 137_913);
    secret('the rate', /0\.1377|13\.77/);
    secret('the rate of the own plan', /0\.0439|4\.39 ?%/);
    secret('the own plan', own.planId);
    secret('the name of the own plan', /For Bob|Extra/);
    secret('the quota', /137,?913/);
    secret('the deal of Bob alone', /Deal of-bob/);
  }

  /** The approved January of both keeps 60 and 40 %; then the lines become 70 and 30 %. */
  async function addStatementsOfBob(bob: string, annId: string): Promise<void> {
    const { api } = workspace;
    await api.expect(200, 'POST', `/v1/statements/${bob}/adjust`, {
      amount: 271.83,
      reason: 'Contest of Bob',
      period: '2026-01',
      dealId: 'shared',
    });
    secret('the adjustment', /271\.83|Contest/);
    const comment = { period: '2026-01', body: 'Said to Bob alone', dealId: 'shared' };
    ids.set('bobscomment', (await api.expect(201, 'POST', `/v1/statements/${bob}/comments`, comment)).commentId);
    secret('the comment', /Said to Bob/);
    const objection = {
      repId: bob,
      period: '2026-01',
      dealId: 'shared',
      type: 'wrong_amount',
      description: 'Bob says',
    };
    ids.set('bobsdispute', (await api.expect(201, 'POST', '/v1/disputes', objection)).disputeId);
    secret('the dispute', /Bob says/);
    await api.expect(200, 'PATCH', `/v1/disputes/${ids.get('bobsdispute')}`, { status: 'withdrawn' });
    for (const repId of [annId, bob]) {
      await api.generate(repId, '2026-01');
      await api.approve(repId, '2026-01');
    }
    await share('shared', 70);
    await workspace.checked();
    const own = { ...dispute, repId: annId };
    ids.set('annsdispute', (await api.expect(201, 'POST', '/v1/disputes', own)).disputeId);
    await api.expect(200, 'GET', `/v1/statements/export.xlsx?period=2026-01`);
    ids.set('bobsexport', (await api.expect(200, 'GET', '/v1/statements/export/jobs')).jobs[0].jobId);
    const events = await workspace.sql<{ event_id: string; rep_id: string; amount: string }>(
      `select event_id, rep_id, amount::float8::text as amount from commission_events where workspace_id = $1`,
    );
    const [ofAnn] = events.filter((event) => event.rep_id === annId);
    const ofBob = events.filter((event) => event.rep_id === bob);
    ids.set('annsevent', ofAnn?.event_id as string).set('bobsevent', ofBob[0]?.event_id as string);
    for (const { event_id, amount } of ofBob) {
      secret(`the event of ${amount}`, event_id);
      secret(`the amount ${amount}`, amount);
    }
    const differences = await workspace.sql<{ id: string; delta: string }>(
      `select discrepancy_id as id, delta::float8::text as delta from discrepancies
       where workspace_id = $1 and rep_id = $2`,
      bob,
    );
    expect(differences).to.have.length(1);
    for (const { id, delta } of differences) {
      secret('the discrepancy', id);
      secret(`the difference ${delta}`, delta.replace('-', ''));
    }
    const statements = await workspace.sql<{ total: string }>(
      `select sum(amount)::float8::text as total from commission_events where workspace_id = $1 and rep_id = $2`,
      bob,
    );
    secret('the payout', statements[0]?.total as string);
  }

  const filled = (text: string) => text.replace(/<([a-z]+)>/g, (_, name: string) => ids.get(name) ?? expect.fail(name));
  const filledBody = (body: unknown) => (body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body))));
  const sendAsAnn = ([request, body]: Probe) => {
    const [method, path] = filled(request).split(' ') as [string, string];
    return ann.send(method, path, filledBody(body));
  };

  function expectNothingOfBob(text: string, request: string): void {
    const found = [...secrets].filter(([, pattern]) => pattern.test(text));
    expect(
      found.map(([what]) => what),
      `${request}: ${text.slice(0, 3000)}`,
    ).to.deep.equal([]);
  }

  it('has a row for every operation that a rep may call', () => {
    const open = operations.filter(({ access }) => access === 'rep' || access === 'connection');
    expect(open.filter(({ id }) => probes[id] === undefined).map(({ id }) => id)).to.deep.equal([]);
    expect(Object.keys(probes).filter((id) => !open.some((operation) => operation.id === id))).to.deep.equal([]);
  });

  it('the secrets are what an admin reads of Bob', async () => {
    const paths = [
      '/v1/commissions?dealId=shared',
      '/v1/commissions?dealId=of-bob',
      `/v1/plans?versions=all`,
      `/v1/plans/${ids.get('version')}/overrides`,
      `/v1/quotas?repId=${ids.get('bob')}`,
      `/v1/statements?repId=${ids.get('bob')}&period=2026-01`,
      `/v1/statements/${ids.get('bob')}/comments?period=2026-01`,
      '/v1/disputes',
      '/v1/discrepancies',
    ];
    const texts = [];
    for (const path of paths) texts.push(JSON.stringify(await workspace.api.expect(200, 'GET', path)));
    const text = texts.join('\n');
    expect([...secrets].filter(([, pattern]) => !pattern.test(text)).map(([what]) => what)).to.deep.equal([]);
  });

  for (const [id, { own = [], ofBob = [] }] of Object.entries(probes)) {
    if (own.length > 0)
      it(`${id}: what Ann may read contains nothing of Bob`, async () => {
        for (const probe of own) {
          const { status, body } = await sendAsAnn(probe);
          const isPdf = probe[0].endsWith('format=pdf');
          expect(status, `${probe[0]}: ${JSON.stringify(body).slice(0, 500)}`).to.be.oneOf(
            isPdf ? [200, 202, 503] : [200, 201],
          );
          expectNothingOfBob(isPdf ? '' : JSON.stringify(body), probe[0]);
        }
      });
    if (ofBob.length > 0)
      it(`${id}: what names Bob is rejected without saying anything of him`, async () => {
        for (const probe of ofBob) {
          const { status, body } = await sendAsAnn(probe);
          expect(status, `${probe[0]}: ${JSON.stringify(body).slice(0, 500)}`).to.be.oneOf([400, 403, 404]);
          expectNothingOfBob(JSON.stringify(body), probe[0]);
        }
      });
  }

  it('the document of her statement contains nothing of Bob', async function () {
    const file = await fetch(filled(`${service.url}/v1/statements/<ann>/export?period=2026-01&format=pdf`), {
      headers: {
        Authorization: `Bearer ${await service.token(workspace.workspaceId, 'sess', ids.get('ann') as string)}`,
      },
    });
    const text = file.status === 200 ? pdfText(Buffer.from(await file.arrayBuffer())) : null;
    if (text === null) this.skip();
    expect(text).to.include('shared');
    expectNothingOfBob(text, 'the PDF');
  });

  for (const [tool, given] of toolCalls)
    it(`the tool ${tool} with ${JSON.stringify(given)} says nothing of Bob`, async () => {
      const { body } = await ann.mcp('tools/call', { name: tool, arguments: filledBody(given) });
      const text = JSON.stringify(body);
      expect(body.result, text).to.be.an('object');
      expect(body.result.isError ?? false, text).to.equal(
        JSON.stringify(given).includes('<bob>') || JSON.stringify(given).includes('of-bob'),
      );
      expectNothingOfBob(text, tool);
    });

  it('the names and percentages of the lines are the only thing that she learns', async () => {
    const { credits } = await ann.expect(200, 'GET', '/v1/deals/shared/credits');
    expect(credits.map(({ repName, percent }: Record<string, unknown>) => [repName, percent])).to.deep.equal([
      ['Ann', 70],
      ['Bob', 30],
    ]);
    const breakdown = await ann.expect(200, 'GET', '/v1/commissions?dealId=shared');
    for (const list of ['events', 'outcomes', 'openDifferences', 'corrections'])
      for (const { repId } of breakdown[list]) expect(repId, list).to.equal(ids.get('ann'));
  });

  it('without a line she learns no more of the deal than of one that does not exist', async () => {
    await workspace.api.expect(200, 'DELETE', '/v1/deals/open/credits');
    const ofOther = await ann.get('/v1/deals/open/credits');
    const ofNone = await ann.get('/v1/deals/none/credits');
    expect(ofOther.status).to.equal(404);
    expect({ ...ofOther.body, requestId: '' }).to.deep.equal({ ...ofNone.body, requestId: '' });
    const { deals } = await ann.expect(200, 'GET', '/v1/deals');
    expect(deals.map(({ deal_id }: { deal_id: string }) => deal_id)).to.deep.equal(['shared']);
  });
});
