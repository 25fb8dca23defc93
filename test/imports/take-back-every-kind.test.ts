import { expect } from 'chai';
import { kinds } from '#src/imports/import-history.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

interface World {
  readonly api: ApiClient;
  readonly ann: string;
  readonly planId: string;
}

/** A file that changes a fact in its first row and creates one in its second, and a later change of the first fact. */
interface Case {
  readonly path: string;
  readonly file: string;
  readonly edit: (world: World) => Promise<unknown>;
  /** Number of facts that the file changes, where it is not two. */
  readonly facts?: number;
}

const put = (path: string, body: object) => (world: World) => world.api.expect(200, 'PUT', path, body);

const estimate = ({ ann, planId }: World, pay: number) => ({
  ...{ repId: ann, planId, ruleName: 'New', period: '2026-Q1', method: 'elapsed', currency: 'USD', pay },
});
const table = (base: number) => ({
  keys: [{ name: 'family', field: 'family', match: 'exact' }],
  columns: [{ name: 'base' }],
  rows: [{ keys: { family: 'a' }, values: { base } }],
});
const deal = { amount: 1000, closeDate: '2026-01-15', stage: 'Won' };

const cases: Readonly<Record<(typeof kinds)[keyof typeof kinds], Case>> = {
  deals: {
    path: '/v1/deals/import',
    file: 'id,amount,close_date,stage,owner_email\nD,2000,2026-01-15,Won,ann@x.io\nN,500,2026-01-16,Won,ann@x.io\n',
    edit: ({ api, ann }) => api.putDeal('D', { ...deal, amount: 3000, repId: ann }),
  },
  lines: {
    path: '/v1/deals/lines/import',
    file: 'dealId,lineId,amount\nD,1,700\nE,2,300\n',
    edit: put('/v1/deals/D/lines', { lines: [{ lineId: '9', amount: 1 }] }),
  },
  people: {
    path: '/v1/reps/import',
    file: 'email,name,role,title,managerEmail,managerFrom,hireDate,region,payCurrency,payCurrencyFrom\nann@x.io,Anne,manager,AE,bob@x.io,2026-01-01,2025-01-01,EMEA,EUR,2026-02-01\nzoe@x.io,Zoe,rep,SE,ann@x.io,2026-01-01,2026-01-05,,USD,2026-01-01\n',
    edit: ({ api, ann }) => api.expect(200, 'PATCH', `/v1/reps/${ann}`, { title: 'VP' }),
  },
  quotas: {
    path: '/v1/quotas/import',
    file: 'email,plan,period,target,variableTarget,prorate\nann@x.io,Plan,2026-01,900,50,no\nann@x.io,Plan,2026-02,800,,\n',
    edit: ({ api, ann }) =>
      api.expect(201, 'POST', '/v1/quotas', { repIds: [ann], measure: 'New', period: '2026-01', target: 7 }),
  },
  assignments: {
    path: '/v1/assignments/import',
    file: 'email,plan,effectiveStart,effectiveEnd,ramp\nann@x.io,Plan,2026-01-01,,Slow\nbob@x.io,Plan,2026-01-01,,\n',
    edit: async ({ api }) => {
      const all = await api.expect(200, 'GET', '/v1/assignments');
      const ofAnn = all.find(({ repName }: { repName: string }) => repName === 'Ann');
      await api.expect(200, 'PATCH', `/v1/assignments/${ofAnn.assignmentId}`, { effectiveEnd: '2026-06-30' });
    },
  },
  absences: {
    path: '/v1/absences/import',
    file: 'email,from,to,relief\nann@x.io,2026-03-01,2026-03-20,50 %\nann@x.io,2026-05-01,2026-05-20,\n',
    edit: async ({ api, ann }) =>
      api.expect(201, 'POST', '/v1/absences', { repId: ann, from: '2026-03-01', to: '2026-03-25' }),
  },
  holidays: {
    path: '/v1/holidays/import',
    file: 'day,name\n2026-12-25,Christmas Day\n2026-12-26,Boxing Day\n',
    edit: ({ api }) =>
      api.expect(200, 'POST', '/v1/holidays/import', 'day,name\n2026-12-25,Christmas\n', {
        'Content-Type': 'text/csv',
      }),
  },
  contracts: {
    path: '/v1/accounting/contracts/import',
    file: 'dealId,start,end\nD,2026-01-01,2028-12-31\nE,2026-02-01,2027-01-31\n',
    edit: ({ api }) => api.expect(200, 'PUT', '/v1/deals/D/contract', { months: 24 }),
  },
  opening_lots: {
    path: '/v1/accounting/lots/import',
    file: 'lotId,dealId,email,cost,amortisedTo,start,months\nL,D,ann@x.io,100,2025-12-31,2025-01-01,36\nM,E,ann@x.io,50,2025-12-31,2025-01-01,36\n',
    edit: ({ api }) =>
      api.expect(
        200,
        'POST',
        '/v1/accounting/lots/import',
        'lotId,dealId,email,cost,amortisedTo,start,months\nL,D,ann@x.io,200,2025-12-31,2025-01-01,36\n',
        { 'Content-Type': 'text/csv' },
      ),
  },
  rep_entities: {
    path: '/v1/accounting/rep-entities/import',
    file: 'email,entity,from\nann@x.io,uk,\nann@x.io,main,2026-03-01\n',
    edit: ({ api, ann }) =>
      api.expect(200, 'PUT', `/v1/reps/${ann}/entities`, {
        entities: [{ entity: 'main' }, { from: '2026-03-01', entity: 'main' }],
      }),
  },
  write_offs: {
    path: '/v1/accounting/write-offs/import',
    file: 'email,currency,amount,day,reason\nann@x.io,USD,60,2026-01-20,Left\nann@x.io,USD,20,2026-01-21,Left\n',
    edit: ({ api }) =>
      api.expect(
        200,
        'POST',
        '/v1/accounting/write-offs/import',
        'email,currency,amount,day,reason\nann@x.io,USD,70,2026-01-20,Left\n',
        { 'Content-Type': 'text/csv' },
      ),
  },
  estimates: {
    path: '/v1/accounting/estimates/import',
    file: 'month,email,plan,rule,period,currency,method,pay\n2026-01,ann@x.io,Plan,New,2026-Q1,USD,forecast,400\n2026-02,ann@x.io,Plan,New,2026-Q1,USD,forecast,400\n',
    edit: (world) => put('/v1/accounting/estimates/2026-01', { estimates: [estimate(world, 500)] })(world),
  },
  credits: {
    path: '/v1/deals/credits/import',
    file: 'dealId,rep,percent\nD,bob@x.io,100\nE,ann@x.io,50\nE,bob@x.io,50\n',
    edit: ({ api, ann }) => api.expect(200, 'PUT', '/v1/deals/D/credits', { credits: [{ repId: ann, percent: 100 }] }),
  },
  draws: {
    path: '/v1/draws/import',
    file: 'email,kind,recoverable,amount,from,to\nann@x.io,guarantee,yes,250,2026-01-01,2026-03-31\nann@x.io,advance,no,70,2026-01-01,2026-01-31\n',
    edit: async ({ api }) => {
      const { draws } = await api.expect(200, 'GET', '/v1/draws');
      const { drawId } = draws.find(({ kind }: { kind: string }) => kind === 'guarantee');
      await api.expect(200, 'PATCH', `/v1/draws/${drawId}`, { to: '2026-04-30' });
    },
  },
  fx_rates: {
    path: '/v1/fx-rates/import',
    file: 'from,to,day,rate\nEUR,USD,2026-01-01,3\nEUR,USD,2026-02-01,4\n',
    edit: put('/v1/fx-rates', { rates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 5 }] }),
  },
  rate_table_rows: {
    path: '/v1/rate-tables/Rates/import',
    file: 'family,base\na,0.3\nb,0.4\n',
    edit: put('/v1/rate-tables/Rates', table(0.5)),
    facts: 1,
  },
  invoices: {
    path: '/v1/invoices/import',
    file: 'dealId,invoiceId,amount,issuedOn,paymentId,paidAmount,paidOn\nD,I,900,2026-01-20,P,900,2026-01-21\nD,J,100,2026-01-22,,,\n',
    edit: put('/v1/deals/D/invoices/I', { amount: 1, issuedOn: '2026-01-20' }),
  },
  refunds: {
    path: '/v1/refunds/import',
    file: 'dealId,refundId,day,amount\nD,R,2026-02-01,200\nE,S,2026-02-02,300\n',
    edit: put('/v1/deals/D/refunds/R', { day: '2026-02-01', cause: 'refund', amount: 5 }),
  },
};

/** What a fact that is written again has again. */
const volatile = new Set(
  'drawId quotaId writeOffId createdAt createdBy updatedAt updated_at revision changedAt lastChangedAt'.split(' '),
);

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (volatile.has(name) ? [] : [[name, lasting(each)]])),
  );
}

describe('every import is taken back', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let world: World;

  beforeEach(async () => {
    workspace = await service.workspace({ currency: 'USD' });
    const { api } = workspace;
    const [ann] = await api.saveReps('Ann', 'Bob');
    const rule = flatRule('New', 0.1, { attainmentPeriod: 'monthly', clawback: {} });
    const { planId } = await api.expect(201, 'POST', '/v1/plans', {
      ...{ name: 'Plan', config: { rules: [rule] }, fx: { date: 'close_date' } },
    });
    await api.expect(200, 'PUT', '/v1/person-fields', { fields: [{ slug: 'region', label: 'Region', type: 'text' }] });
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      payouts: { enabled: true, from: '2026-01-01', period: 'monthly' },
      accounting: { enabled: true, from: '2026-01' },
    });
    await api.expect(200, 'PUT', '/v1/accounting/entities/uk', { name: 'Acme Ltd.', payrollTax: [], accounts: {} });
    await api.expect(200, 'PUT', `/v1/reps/${ann}/entities`, { entities: [{ entity: 'main' }] });
    await api.expect(201, 'POST', '/v1/accounting/write-offs', {
      ...{ repId: ann, currency: 'USD', amount: 50, day: '2026-01-20', reason: 'Left' },
    });
    await api.expect(201, 'POST', '/v1/ramps', {
      name: 'Slow',
      steps: [{ months: 1, quotaPercent: 50, variablePercent: 50, ratePercent: 100 }],
    });
    world = { api, ann: ann as string, planId };
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [ann], planId, effectiveStart: '2026-01-01' });
    await api.expect(201, 'POST', '/v1/quotas', { repIds: [ann], measure: 'New', period: '2026-01', target: 1000 });
    await api.expect(201, 'POST', '/v1/absences', { repId: ann, from: '2026-03-01', to: '2026-03-10', note: 'Leave' });
    await api.expect(201, 'POST', '/v1/draws', {
      ...{ repId: ann, kind: 'guarantee', recoverable: true, amount: 200, from: '2026-01-01', to: '2026-02-28' },
    });
    await put('/v1/accounting/estimates/2026-01', { estimates: [estimate(world, 300)] })(world);
    await api.expect(200, 'PUT', '/v1/rate-tables/Rates', table(0.1));
    for (const day of ['2026-01-01', '2026-03-01'])
      await put('/v1/fx-rates', { rates: [{ from: 'EUR', to: 'USD', day, rate: 2 }] })(world);
    await api.putDeal('D', { ...deal, repId: ann });
    await api.putDeal('E', { ...deal, currency: 'EUR', closeDate: '2026-02-15', repId: ann });
    await put('/v1/deals/D/lines', { lines: [{ lineId: '1', amount: 1000 }] })(world);
    await put('/v1/deals/D/credits', { credits: [{ repId: ann, percent: 100 }] })(world);
    await put('/v1/deals/D/invoices/I', {
      ...{ amount: 1000, issuedOn: '2026-01-20', payments: [{ paymentId: 'P', amount: 400, paidOn: '2026-01-21' }] },
    })(world);
    await put('/v1/deals/D/refunds/R', { day: '2026-02-01', cause: 'refund', amount: 100, reason: 'Returned' })(world);
  });

  /** Everything that imports write, and what everyone earns. */
  async function state(): Promise<unknown> {
    await workspace.calculated();
    const read = (path: string) => world.api.expect(200, 'GET', path);
    const { totals } = await read('/v1/commissions?period=2026');
    const ofDeals = ['D', 'E'].flatMap((id) =>
      ['credits', 'lines', 'invoices', 'refunds'].map((what) => `/v1/deals/${id}/${what}`),
    );
    const paths = [
      'reps',
      'assignments',
      'quotas',
      'absences',
      'holidays',
      'draws',
      'fx-rates',
      'rate-tables/Rates',
      'accounting/contract-costs?month=2026-01&groupBy=deal',
      'accounting/estimates?month=2026-01',
      'accounting/estimates?month=2026-02',
      `reps/${world.ann}/entities`,
    ].map((what) => `/v1/${what}`);
    const answers: Record<string, unknown> = {};
    for (const path of [...paths, ...ofDeals]) answers[path] = lasting(await read(path));
    for (const id of ['D', 'E']) answers[id] = lasting((await world.api.get(`/v1/deals/${id}/contract`)).body);
    const { writeOffs } = await read('/v1/accounting/write-offs');
    answers['write-offs'] = lasting(writeOffs.filter(({ status }: { status: string }) => status !== 'withdrawn'));
    const { deals } = await read('/v1/deals?after=');
    const known = deals.map(({ deal_id: id, amount, repId }: Record<string, unknown>) => ({ id, amount, repId }));
    return { totals, known, ...answers };
  }

  async function upload({ path, file }: Case): Promise<string> {
    const answer = await world.api.expect(200, 'POST', path, file, { 'Content-Type': 'text/csv' });
    expect([answer.rejected].flat(), JSON.stringify(answer)).to.be.deep.oneOf([[0], []]);
    const { imports } = await world.api.expect(200, 'GET', '/v1/imports?limit=1');
    return imports[0].importId;
  }

  for (const [kind, each] of Object.entries(cases)) {
    const { facts = 2, edit } = each;

    it(`of ${kind}: everything is unchanged then, and it is taken back once`, async () => {
      const before = await state();
      const importId = await upload(each);
      const imported = await state();
      expect(imported).not.to.deep.equal(before);
      const address = `/v1/imports/${importId}`;
      const { import: record, unchangedSince } = await world.api.expect(200, 'GET', address);
      expect([record.kind, unchangedSince]).to.deep.equal([kind, facts]);
      const tried = await world.api.expect(200, 'POST', `${address}/take-back?dryRun=true&effect=true`, {});
      expect(await state()).to.deep.equal(imported);
      const { effect: _, dryRun: __, ...expected } = tried;
      const done = await world.api.expect(200, 'POST', `${address}/take-back`, {});
      expect(done).to.deep.equal(expected);
      expect([done.restored + done.removed, done.changedSince, done.rejected ?? []]).to.deep.equal([facts, [], []]);
      expect(await state()).to.deep.equal(before);
      await expectError('409 import_not_reversible', world.api.post(`${address}/take-back`, {}));
      const after = (await world.api.expect(200, 'GET', address)).import;
      expect(after.takenBackAt).to.be.a('string');
      await workspace.expectSoundLedger();
    });

    it(`of ${kind}: what was changed since stays, and is named`, async () => {
      const importId = await upload(each);
      await workspace.calculated();
      await edit(world);
      const done = await world.api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
      expect(done.restored + done.removed).to.equal(facts - 1);
      const rejected = (done.rejected ?? []).map(({ row, code }: { row: number; code: string }) => [row, code]);
      const isOfDeals = kind === 'deals' || kind === 'lines';
      expect([done.changedSince, rejected]).to.deep.equal(isOfDeals ? [['D'], []] : [[], [[1, 'changed_since']]]);
      await workspace.calculated();
      await workspace.expectSoundLedger();
    });
  }

  it('is taken back with a key only if it has the scope of the import', async () => {
    const keys = '/v1/workspaces/integration-keys';
    const { key } = await world.api.expect(201, 'POST', keys, { name: 'BI', scopes: ['deals'] });
    const client = service.client(key);
    const [credits, quotas, people] = [
      await upload(cases.credits),
      await upload(cases.quotas),
      await upload(cases.people),
    ];
    for (const importId of [quotas, people])
      await expectError('403 insufficient_scope', client.post(`/v1/imports/${importId}/take-back`, {}));
    await client.expect(200, 'POST', `/v1/imports/${credits}/take-back`, {});
  });

  it('of assignments: what was earned under them goes, also of a person who is on no other plan', async () => {
    const { api } = world;
    const [bob] = await api.saveReps('Bob');
    await api.putDeal('B', { ...deal, repId: bob });
    const importId = await upload(cases.assignments);
    const earned = async () => {
      await workspace.calculated();
      const { events } = await api.expect(200, 'GET', '/v1/commissions?dealId=B');
      return events
        .filter(({ status }: { status: string }) => status === 'earned')
        .map(({ amount }: { amount: number }) => amount);
    };
    expect(await earned()).to.deep.equal([100]);
    await api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
    expect(await earned()).to.deep.equal([]);
    await workspace.expectSoundLedger();
  });

  it('of people: who is used since stays, and the others are restored', async () => {
    const importId = await upload(cases.people);
    const { reps } = await world.api.expect(200, 'GET', '/v1/reps');
    const zoe = reps.find(({ name }: { name: string }) => name === 'Zoe').id;
    await world.api.putDeal('Z', { ...deal, repId: zoe });
    const done = await world.api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
    expect(done).to.deep.include({ restored: 1, removed: 0 });
    expect(done.rejected).to.have.length(1);
    expect(done.rejected[0]).to.include({ row: 2, code: 'person_in_use' });
    await workspace.calculated();
    await workspace.expectSoundLedger();
  });
});
