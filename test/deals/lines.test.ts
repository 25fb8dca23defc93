import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const software = { field: 'line.family', fieldType: 'text', operator: 'equals', value: 'software' };
const ofSoftware = {
  name: 'Software',
  measure: 'line.amount',
  lines: { conditions: [software] },
  tiers: flatTier(0.1),
};
const ofDeals = { name: 'Deals', measure: 'amount', tiers: flatTier(0.01) };
const given = [
  { lineId: '2', family: 'services', amount: 15_000, cost: 900 },
  { lineId: '1', family: 'software', name: 'Suite', quantity: '12', amount: '30000.00', fields: { Region: 'EMEA' } },
  { lineId: '3', family: 'hardware', amount: 5_000 },
];

describe('lines of deals', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let ann: string;
  let bob: string;
  afterEach(() => workspace.expectSoundLedger());

  async function start(rule: object = ofSoftware): Promise<void> {
    workspace = await service.workspace();
    const { api } = workspace;
    [ann = '', bob = ''] = await api.saveReps({ name: 'Ann' }, { name: 'Bob' });
    await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ann, bob]);
    await api.putDeal('d', { amount: 50_000, closeDate: '2026-02-10', repId: ann });
    await workspace.calculated();
  }

  const path = '/v1/deals/d/lines';
  const put = (lines: readonly object[], query = '') => workspace.api.expect(200, 'PUT', `${path}${query}`, { lines });
  const get = (query = '') => workspace.api.expect(200, 'GET', `${path}${query}`);
  const earned = async (): Promise<number> => {
    await workspace.calculated();
    const [{ sum }] = await workspace.sql(
      `select coalesce(sum(amount), 0)::float8 as sum from commission_events
       where workspace_id = $1 and status = 'earned' and kind = 'commission_earned'`,
    );
    return sum;
  };
  const idsOf = ({ lines }: { lines: { lineId: string }[] }) => lines.map(({ lineId }) => lineId);
  const codesOf = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);

  it('are stored as sent, in their order, and pay', async () => {
    await start();
    const stored = await put(given);
    expect(idsOf(stored)).to.deep.equal(['2', '1', '3']);
    expect(stored).to.deep.include({ source: 'api', differs: false, warnings: [] });
    expect(stored.total).to.deep.equal([{ currency: 'USD', amount: 50_000 }]);
    expect(stored.lines[1]).to.deep.include({
      name: 'Suite',
      quantity: 12,
      amount: 30_000,
      fields: { Region: 'EMEA' },
    });
    expect((await workspace.api.finishedJob(stored.jobId)).status).to.equal('completed');
    const { jobId: _, ...rest } = stored;
    expect(await get()).to.deep.equal(rest);
    expect(await earned()).to.equal(3_000);
  });

  it('of the API count in place of all lines of the CRM, until they are deleted', async () => {
    await start();
    await workspace.sql(
      `insert into deal_lines (workspace_id, deal_id, source, position, content)
       values ($1, 'd', 'crm', 0, '{"lineId": "C", "family": "software", "amount": "1000"}')`,
    );
    expect(await get()).to.deep.include({ source: 'crm', differs: true });
    await put(given);
    expect(idsOf(await get())).to.deep.equal(['2', '1', '3']);
    expect(await earned()).to.equal(3_000);
    const left = await workspace.api.expect(200, 'DELETE', path);
    expect([left.source, idsOf(left)]).to.deep.equal(['crm', ['C']]);
    expect(await earned()).to.equal(100);
  });

  it('are stored, and calculate nothing, if no rule reads lines', async () => {
    await start(ofDeals);
    const { jobId, ...stored } = await put(given);
    expect(codesOf(stored)).to.deep.equal(['no_rule_reads_lines']);
    expect((await workspace.api.finishedJob(jobId)).progress).to.deep.equal({ done: 0, total: 0 });
    expect(await earned()).to.equal(500);
  });

  it('of a deal with a refund that names them calculate the refund again, also if no rule reads lines', async () => {
    await start({ ...ofDeals, tiers: flatTier(0.1), clawback: { window: { days: 365 } } });
    await put(given);
    const refund = { day: '2026-04-20', cause: 'refund', lines: [{ lineId: '2' }] };
    await workspace.api.expect(200, 'PUT', '/v1/deals/d/refunds/r', refund);
    expect(await earned()).to.equal(5_000 - 1_500);
    const [services, ...others] = given;
    const smaller = [{ ...services, amount: 10_000 }, ...others];
    const preview = await put(smaller, '?dryRun=true');
    expect(preview.byRep).to.have.length(1);
    const { warnings } = await put(smaller);
    expect(warnings.map(({ code, message }: Record<string, string>) => `${code}: ${message}`)).to.include(
      'no_rule_reads_lines: No rule of any plan reads lines, so only refunds that name them are calculated.',
    );
    expect(await earned()).to.equal(5_000 - 1_000);
  });

  it('are rejected with a repeated id, above their number, with unknown currencies and for unknown deals', async () => {
    await start();
    await put(given);
    const send = (lines: readonly object[], dealId = 'd') => workspace.api.put(`/v1/deals/${dealId}/lines`, { lines });
    const line = (lineId: string | number) => ({ lineId: String(lineId), amount: 1 });
    await expectError('400 line_repeated', send([line(1), line(2), line(1)]));
    await expectError('400 too_many_lines', send(Array.from({ length: 501 }, (_, id) => line(id))));
    await expectError('400 VALIDATION_FAILED', send([{ ...line(1), currency: 'ABC' }]));
    await expectError('400 VALIDATION_FAILED', send([{ ...line(1), fields: { amount: 2 } }]));
    await expectError('404 deal_not_found', send([line(1)], 'none'));
    expect(idsOf(await get())).to.deep.equal(['2', '1', '3']);
  });

  it('that do not add up to the deal in its currency differ from it', async () => {
    await start();
    expect(codesOf(await put([{ lineId: '1', amount: 50_000.004 }]))).to.deep.equal([]);
    expect(codesOf(await put([{ lineId: '1', amount: 50_000.01 }]))).to.deep.equal(['lines_differ']);
    const { total, differs } = await put([...given, { lineId: '4', amount: 7, currency: 'eur' }]);
    expect(differs).to.equal(false);
    expect(total).to.deep.equal([
      { currency: 'USD', amount: 50_000 },
      { currency: 'EUR', amount: 7 },
    ]);
  });

  it('are previewed with the effect on each person, without writing anything', async () => {
    await start();
    const preview = await put(given, '?dryRun=true');
    expect([preview.before, idsOf({ lines: preview.after })]).to.deep.equal([[], ['2', '1', '3']]);
    expect(preview.byRep).to.have.length(1);
    expect(preview.byRep[0]).to.deep.include({ repId: ann, before: 0, after: 3_000, delta: 3_000 });
    expect(preview.dryRun).to.equal(true);
    expect(await get()).to.deep.include({ source: null, lines: [], total: [] });
    expect(await workspace.sql('select from deal_line_history where workspace_id = $1')).to.deep.equal([]);
  });

  it('have a history, to which the same lines add nothing', async () => {
    await start();
    await put(given);
    await put(given);
    const { lines: before } = await get();
    const [{ at }] = await workspace.sql('select clock_timestamp() as at where $1::uuid is not null');
    await put([{ lineId: 'new', amount: 1 }]);
    expect((await get(`?asOf=${at.toISOString()}`)).lines).to.deep.equal(before);
    expect(await workspace.sql('select from deal_line_history where workspace_id = $1')).to.have.length(2);
  });

  it('are read by the people on the deal, without the cost', async () => {
    await start();
    await put(given);
    const lines = await (await workspace.as(ann)).expect(200, 'GET', path);
    expect(idsOf(lines)).to.deep.equal(['2', '1', '3']);
    expect(JSON.stringify(lines)).not.to.include('cost');
    expect((await get()).lines[0].cost).to.equal(900);
    await expectError('404 deal_not_found', (await workspace.as(bob)).get(path));
    await expectError('403 forbidden', (await workspace.as(ann)).put(path, { lines: given }));
  });

  it('are changed by no one whom they pay', async () => {
    await start();
    const [ada] = await workspace.api.saveReps({ name: 'Ada', role: 'admin' });
    const admin = await workspace.as(ada);
    await workspace.api.putDeal('own', { amount: 10, closeDate: '2026-02-10', repId: ada });
    await expectError('403 forbidden', admin.put('/v1/deals/own/lines', { lines: given }));
    await admin.expect(200, 'PUT', path, { lines: given });
  });

  it('may be given with the deal, which without them keeps them', async () => {
    await start();
    const deal = { amount: 50_000, closeDate: '2026-02-10', repId: ann };
    await workspace.api.putDeal('d', { ...deal, lines: given });
    expect(await earned()).to.equal(3_000);
    await workspace.api.putDeal('d', { ...deal, stage: 'Won' });
    expect(idsOf(await get())).to.deep.equal(['2', '1', '3']);
    await workspace.api.putDeal('new', { ...deal, lines: given });
    expect(await earned()).to.equal(6_000);
    const repeated = { ...deal, amount: 1, lines: [given[0], given[0]] };
    await expectError('400 line_repeated', workspace.api.put('/v1/deals/d', repeated));
    expect(await get()).to.deep.include({ differs: false });
  });

  it('are deleted and restored with their deal', async () => {
    await start();
    await put(given);
    expect(await earned()).to.equal(3_000);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/d');
    expect(await earned()).to.equal(0);
    await expectError('404 deal_not_found', workspace.api.put(path, { lines: given }));
    await workspace.api.putDeal('d', { amount: 50_000, closeDate: '2026-02-10', repId: ann });
    expect(await earned()).to.equal(3_000);
  });

  const upload = (text: string, query = '') =>
    workspace.api.expect(200, 'POST', `/v1/deals/lines/import${query}`, text, { 'content-type': 'text/csv' });

  it('of a file replace those of their deals, with other columns as fields', async () => {
    await start({ ...ofSoftware, lines: { conditions: [{ ...software, field: 'line.Region', value: 'EMEA' }] } });
    await put([{ lineId: 'old', amount: 1 }]);
    const file =
      'Deal;Line ID;Product family;Net amount;Units;Discount;Region;Signed;Seats left\n' +
      'd;2;services;15.000,00;1;;EMEA;31.12.2025;1.200,5\nd;1;software;30000;12;25 %;EMEA;;7\nd;3;hardware;5.000,00;;;APAC;;\n';
    const query = '?delimiter=;&dateFormat=DMY';
    const preview = await upload(file, `${query}&dryRun=true&effect=true`);
    expect(preview).to.deep.include({ accepted: 3, rejected: 0, dryRun: true });
    expect(preview.effect.totals).to.deep.equal([{ currency: 'USD', delta: 4_500 }]);
    expect(idsOf(await get())).to.deep.equal(['old']);
    const done = await upload(file, query);
    expect(done.columns).to.deep.equal([
      { column: 'Region', field: 'line.Region', kind: 'text', values: 3 },
      { column: 'Signed', field: 'line.Signed', kind: 'date', values: 1 },
      { column: 'Seats left', field: 'line.Seats left', kind: 'number', values: 2 },
    ]);
    const { lines } = await get();
    expect(idsOf({ lines })).to.deep.equal(['2', '1', '3']);
    expect(lines[0]).to.deep.include({
      family: 'services',
      amount: 15_000,
      fields: { Region: 'EMEA', Signed: '2025-12-31', 'Seats left': '1200.5' },
    });
    expect(lines[1]).to.deep.include({ quantity: 12, discount: 0.25 });
    expect((await workspace.api.finishedJob(done.jobId)).status).to.equal('completed');
    expect(await earned()).to.equal(4_500);
    expect(await upload(file, query)).to.deep.include({ accepted: 0, unchanged: 3 });
    const { imports } = await workspace.api.expect(200, 'GET', '/v1/imports');
    expect(imports[0]).to.deep.include({ kind: 'lines' });
    expect(imports[1].counts).to.deep.equal({ created: 0, changed: 3, unchanged: 0, rejected: 0 });
    const [again, first] = imports.map(({ importId }: { importId: string }) => `/v1/imports/${importId}`);
    expect(await workspace.api.expect(200, 'GET', again)).to.deep.include({ unchangedSince: 0, changedSince: [] });
    expect(await workspace.api.expect(200, 'GET', first)).to.deep.include({ unchangedSince: 1, changedSince: [] });
    const tried = await workspace.api.expect(200, 'POST', `${first}/take-back?dryRun=true&effect=true`, {});
    expect(tried).to.deep.include({ restored: 1, removed: 0, dryRun: true });
    expect(tried.effect.totals).to.deep.equal([{ currency: 'USD', delta: -4_500 }]);
    expect(idsOf(await get())).to.deep.equal(['2', '1', '3']);
    expect(await workspace.api.expect(200, 'POST', `${first}/take-back`, {})).to.deep.equal({
      ...{ restored: 1, removed: 0, changedSince: [] },
    });
    expect(idsOf(await get())).to.deep.equal(['old']);
    expect(await earned()).to.equal(0);
  });

  it('of a file that were changed since stay when it is taken back, and lines of the CRM count again', async () => {
    await start();
    await workspace.api.putDeal('e', { amount: 10, closeDate: '2026-02-10', repId: ann });
    await workspace.sql(
      `insert into deal_lines (workspace_id, deal_id, source, position, content)
       values ($1, 'e', 'crm', 0, '{"lineId": "of-crm", "amount": 10, "family": "software"}')`,
    );
    await upload('dealId,lineId,amount,family\nd,1,100,software\ne,1,200,software\n');
    await put([{ lineId: 'later', amount: 50, family: 'software' }]);
    const { imports } = await workspace.api.expect(200, 'GET', '/v1/imports');
    expect(await workspace.api.expect(200, 'POST', `/v1/imports/${imports[0].importId}/take-back`, {})).to.deep.equal({
      ...{ restored: 1, removed: 0, changedSince: ['d'] },
    });
    expect(idsOf(await get())).to.deep.equal(['later']);
    expect(idsOf(await workspace.api.expect(200, 'GET', '/v1/deals/e/lines'))).to.deep.equal(['of-crm']);
    expect(await earned()).to.equal(6);
  });

  it('may be given in an import of deals, which is taken back with them', async () => {
    await start();
    const deal = { dealId: 'd', amount: 50_000, closeDate: '2026-02-10', repId: ann };
    const send = (deals: readonly object[], query = '') =>
      workspace.api.expect(200, 'POST', `/v1/deals/import${query}`, { deals });
    const sent = [
      { ...deal, lines: given },
      { ...deal, dealId: 'new', lines: given },
      { ...deal, dealId: 'bad', lines: [given[0], given[0]] },
      { ...deal, dealId: 'none' },
    ];
    const preview = await send(sent, '?dryRun=true&effect=true');
    expect(preview.rows.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal([
      ...['changed', 'created', 'rejected', 'created'],
    ]);
    expect(preview.effect.totals).to.deep.equal([{ currency: 'USD', delta: 6_000 }]);
    const done = await send(sent);
    expect(done).to.deep.include({ accepted: 3, created: 2, changed: 1, unchanged: 0 });
    expect(done.rejected).to.deep.equal([{ row: 3, reason: 'Line 2 has the id of an earlier line.' }]);
    expect(await earned()).to.equal(6_000);
    expect(await send(sent.slice(0, 2))).to.deep.include({ accepted: 0, unchanged: 2 });
    await send([{ ...deal, stage: 'Won' }]);
    expect(idsOf(await get())).to.deep.equal(['2', '1', '3']);
    const { imports } = await workspace.api.expect(200, 'GET', '/v1/imports');
    const { importId } = imports.at(-1);
    const taken = await workspace.api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
    expect(taken).to.deep.equal({ restored: 1, removed: 2, changedSince: [] });
    expect(idsOf(await get())).to.deep.equal([]);
    expect(await earned()).to.equal(0);
  });

  it('in an import of deals are changed by no one whom they pay', async () => {
    await start();
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${ann}`, { role: 'admin' });
    const admin = await workspace.as(ann);
    const deals = [{ dealId: 'd', amount: 50_000, closeDate: '2026-02-10', repId: ann, lines: given }];
    await expectError('403 forbidden', admin.post('/v1/deals/import', { deals }));
    expect(idsOf(await get())).to.deep.equal([]);
  });

  it('of a deal in a file are written together or not at all', async () => {
    await start();
    await workspace.api.putDeal('e', { amount: 10, closeDate: '2026-02-10', repId: ann });
    const { results, ...counts } = await upload(
      [
        'dealId,lineId,amount,currency,name',
        'd,1,30000,,Suite',
        'none,1,5,,',
        'e,1,10,,',
        'd,2,,,',
        'f,1,1,,',
        'e,2,10,ABC,',
        ',1,1,,',
      ].join('\n'),
    );
    expect(counts).to.deep.include({ accepted: 0, rejected: 7 });
    expect(results.map(({ code, reason }: { code: string; reason: string }) => [code, reason])).to.deep.equal([
      ['VALIDATION_FAILED', 'another row of this deal is rejected'],
      ['deal_not_found', 'There is no deal with this id in this workspace.'],
      ['VALIDATION_FAILED', 'another row of this deal is rejected'],
      ['VALIDATION_FAILED', 'amount: is empty'],
      ['deal_not_found', 'There is no deal with this id in this workspace.'],
      ['VALIDATION_FAILED', 'currency: must be an ISO 4217 code'],
      ['VALIDATION_FAILED', 'dealId: is empty'],
    ]);
    const repeated = await upload('dealId,lineId,amount\nd,1,5\ne,1,10\nd,1,6\n');
    expect(repeated).to.deep.include({ accepted: 1, rejected: 2 });
    expect(repeated.results[0]).to.deep.include({ outcome: 'rejected', code: 'line_repeated' });
    const many = Array.from({ length: 501 }, (_, id) => `d,${id},1`).join('\n');
    expect((await upload(`dealId,lineId,amount\n${many}`)).results[0].code).to.equal('too_many_lines');
    expect((await get()).lines).to.deep.equal([]);
  });

  it('of a file keep texts that its reader names, and the digits of amounts', async () => {
    await start();
    await upload('dealId,lineId,amount,Bin\nd,1,33.333333333333333333,0012\n', '?textColumns=Bin');
    const [{ content }] = await workspace.sql('select content from deal_lines where workspace_id = $1');
    expect(content).to.deep.equal({ lineId: '1', amount: '33.333333333333333333', fields: { Bin: '0012' } });
  });

  it('of an approved period open a discrepancy that names them (I15)', async () => {
    await start();
    await put(given);
    await workspace.calculated();
    await workspace.api.generate(ann, '2026-02');
    await workspace.api.approve(ann, '2026-02');
    const { blocked } = await put([{ ...given[1], amount: 32_000 }]);
    expect(blocked.periods).to.deep.equal(['2026-02']);
    await workspace.checked();
    const { discrepancies } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies).to.have.length(1);
    expect(discrepancies[0].delta).to.equal(200);
    expect(discrepancies[0].causes[0]).to.deep.include({ kind: 'lines', what: 'Lines of deal d' });
  });
});
