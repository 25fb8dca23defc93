import { expect } from 'chai';
import { type ExpectedError, expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const key = { name: 'family', field: 'family', match: 'exact' };
const columns = [{ name: 'base' }];
const row = (family: string, base: number, days: object = {}) => ({ keys: { family }, values: { base }, ...days });
const table = (...rows: object[]) => ({ keys: [key], columns, rows });

// biome-ignore lint/suspicious/noExplicitAny: responses
type Loose = any;

describe('rate tables over HTTP', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
  });
  afterEach(() => workspace.expectSoundLedger());

  const put = (body: object, name = 'Products') => workspace.api.expect(200, 'PUT', `/v1/rate-tables/${name}`, body);
  const rejected = (expected: ExpectedError, body: object) =>
    expectError(expected, workspace.api.send('PUT', '/v1/rate-tables/Products', body));
  const read = (query = '') => workspace.api.expect(200, 'GET', `/v1/rate-tables/Products${query}`);
  const payByTable = () =>
    workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, {
      config: {
        rules: [
          { name: 'New business', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, table: 'products' }] },
        ],
      },
    });
  const deal = (dealId: string, day: string, family = 'Software') =>
    workspace.deal(dealId, 10_000, day, { fields: { family } });
  const earned = async () => {
    await workspace.calculated();
    return workspace.earned();
  };

  it('T1: a table is stored, found in any case, listed and deleted', async () => {
    const first = await put(table(row('software', 0.1), row('*', 0.03)));
    expect(first).to.deep.include({
      name: 'Products',
      revision: 1,
      rows: { added: 2, changed: 0, ended: 0 },
      jobId: null,
    });
    const again = await put(table(row('software', 0.12)), 'PRODUCTS');
    expect(again).to.deep.include({ name: 'Products', revision: 2, rows: { added: 0, changed: 1, ended: 1 } });
    const stored = await read();
    expect(stored.rows).to.deep.equal([row('software', 0.12)]);
    expect(stored.noMatch).to.equal('exception');
    const { rateTables } = await workspace.api.expect(200, 'GET', '/v1/rate-tables');
    expect(rateTables).to.deep.equal([
      { name: 'Products', keys: [key], columns: [{ name: 'base', kind: 'rate' }], rows: 1, revision: 2, plans: [] },
    ]);
    await workspace.api.expect(200, 'DELETE', '/v1/rate-tables/products');
    await expectError('404 rate_table_not_found', workspace.api.send('GET', '/v1/rate-tables/Products'));
  });

  it('T3: every row has a value in every column, and rates are at most 10', async () => {
    await rejected('400 value_missing', { ...table(row('a', 0.1)), columns: [...columns, { name: 'more' }] });
    await rejected('400 VALIDATION_FAILED', table(row('a', 11)));
  });

  it('J59: rows that match together are rejected, with both rows and a common value', async () => {
    const days = (effectiveEnd: string, effectiveStart: string) =>
      table(row('a', 0.1, { effectiveEnd }), row('a', 0.2, { effectiveStart }));
    const { message } = await rejected('400 rows_overlap', table(row('X ', 0.1), row('x', 0.2)));
    expect(message).to.match(/rows\.1 overlaps row 0: both match family/);
    await rejected('400 rows_overlap', days('2026-01-31', '2026-01-31'));
    await put(days('2026-01-31', '2026-02-01'));
    const ranges = (from: number) => ({
      keys: [{ name: 'size', field: 'size', match: 'range' }],
      columns,
      rows: [
        { keys: { size: { from: 0, to: 10 } }, values: { base: 0.1 } },
        { keys: { size: { from } }, values: { base: 0.2 } },
      ],
    });
    await rejected('400 rows_overlap', ranges(9));
    await put(ranges(10));
  });

  it('T16: a revision that is not the latest changes nothing', async () => {
    await put({ ...table(row('a', 0.1)), revision: 0 });
    await rejected('409 table_changed', { ...table(row('a', 0.2)), revision: 0 });
    expect((await read()).rows).to.deep.equal([row('a', 0.1)]);
  });

  it('T16: rows of a new table with from hold from that day', async () => {
    await rejected('400 VALIDATION_FAILED', {
      ...table(row('a', 0.1, { effectiveEnd: '2026-03-31' })),
      from: '2026-04-01',
    });
    const later = row('b', 0.2, { effectiveStart: '2026-05-01' });
    await put({ ...table(row('a', 0.1), later), from: '2026-04-01' });
    expect((await read()).rows).to.deep.equal([row('a', 0.1, { effectiveStart: '2026-04-01' }), later]);
  });

  it('T22: a table has at most 10,000 rows, those of all days together', async () => {
    await put(table(row('a', 0.1)));
    const rows = Array.from({ length: 10_000 }, (_, index) => row(String(index), 0.1));
    await rejected('400 VALIDATION_FAILED', { ...table(...rows), from: '2026-02-15' });
  });

  it('T16: a table that an active plan needs is not deleted, nor its column', async () => {
    await put(table(row('*', 0.1)));
    await payByTable();
    await expectError('409 rate_table_in_use', workspace.api.send('DELETE', '/v1/rate-tables/Products'));
    const two = { ...table({ values: { base: 0.1, more: 0.2 } }), columns: [...columns, { name: 'more' }] };
    await rejected('409 rate_table_in_use', two);
    expect((await read()).plans).to.deep.equal([{ planId: workspace.planId, name: 'AE' }]);
  });

  it('a plan becomes active only if it can use its tables as they are now', async () => {
    const { api, planId } = workspace;
    await put(table(row('*', 0.1)));
    await payByTable();
    await deal('D1', '2026-02-10');
    expect(await earned()).to.deep.equal({ D1: '1000' });
    const { planVersionId } = await api.expect(200, 'GET', `/v1/plans/${planId}`);
    // Without the version that pays by the table, the one before it pays 8 %.
    for (const [ref, meanwhile] of [
      [planId, '1000'],
      [planVersionId, '800'],
    ]) {
      const setStatus = (status: string) => api.send('PATCH', `/v1/plans/${ref}/status`, { status });
      expect(await setStatus('archived')).to.have.property('status', 200);
      const two = { ...table({ values: { base: 0.1, more: 0.2 } }), columns: [...columns, { name: 'more' }] };
      await put(two);
      await expectError('400 column_not_found', setStatus('active'));
      await api.expect(200, 'DELETE', '/v1/rate-tables/Products');
      await expectError('400 rate_table_not_found', setStatus('active'));
      expect(await earned()).to.deep.equal({ D1: meanwhile });
      await put(table(row('*', 0.1)));
      expect(await setStatus('active')).to.have.property('status', 200);
      expect(await earned()).to.deep.equal({ D1: '1000' });
    }
  });

  it('the currency of the workspace is not changed while a plan without one pays amounts of a table', async () => {
    const { api, planId } = workspace;
    const amounts = { keys: [key], columns: [{ name: 'base', kind: 'amount' }], currency: 'USD', rows: [row('*', 50)] };
    await put(amounts);
    await payByTable();
    const change = (currency: string) => api.send('PATCH', '/v1/workspaces', { currency });
    await expectError('400 currency_differs', change('EUR'));
    await expectError('400 currency_differs', api.send('POST', '/v1/workspaces/preview', { currency: 'EUR' }));
    expect((await api.expect(200, 'GET', '/v1/workspaces')).currency).to.equal('USD');
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { status: 'archived' });
    expect(await change('EUR')).to.have.property('status', 200);
    await expectError('400 currency_differs', api.send('PATCH', `/v1/plans/${planId}`, { status: 'active' }));
    expect(await change('USD')).to.have.property('status', 200);
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { status: 'active', currency: 'USD' });
    expect(await change('EUR')).to.have.property('status', 200);
    await workspace.calculated();
  });

  it('T19: history says who changed the table, and the rows that were known then and hold on a day', async () => {
    await put({ ...table(row('a', 0.1)), note: 'Rates of 2026' });
    const { revisions } = await workspace.api.expect(200, 'GET', '/v1/rate-tables/Products/revisions');
    const then = new Date().toISOString();
    await put({ ...table(row('a', 0.2)), from: '2026-02-15' });
    expect(revisions[0]).to.deep.include({ revision: 1, note: 'Rates of 2026', deleted: false });
    expect((await read(`?asOf=${then}`)).rows).to.have.length(1);
    expect((await read('?day=2026-02-14')).rows).to.deep.equal([row('a', 0.1, { effectiveEnd: '2026-02-14' })]);
    expect((await read('?day=2026-02-15')).rows).to.deep.equal([row('a', 0.2, { effectiveStart: '2026-02-15' })]);
  });

  it('T20: a look-up finds the row that counts, or the nearest rows', async () => {
    await put(table(row('software', 0.1), row('services', 0.04, { effectiveStart: '2026-02-01' })));
    const lookUp = (family: string) =>
      workspace.api.expect(200, 'POST', '/v1/rate-tables/Products/lookup', { values: { family }, day: '2026-01-31' });
    const looked = (value: string, matched: string | null) => [{ name: 'family', value, matched }];
    expect(await lookUp(' SOFTWARE')).to.deep.equal({
      row: row('software', 0.1),
      keys: looked(' SOFTWARE', 'exact'),
      nearest: [],
    });
    expect(await lookUp('services')).to.deep.equal({
      row: null,
      keys: looked('services', null),
      nearest: [{ row: row('software', 0.1), differing: ['family'] }],
    });
    await expectError(
      '400 VALIDATION_FAILED',
      workspace.api.send('POST', '/v1/rate-tables/Products/lookup', { values: { region: 'EMEA' } }),
    );
  });

  it('T20: a look-up reads the values of a line, its deal and its owner', async () => {
    await put({
      keys: [
        { name: 'family', field: 'line.family', match: 'exact' },
        { name: 'region', field: 'region', match: 'exact' },
        { name: 'tenure', field: 'rep.tenure_months', match: 'range' },
      ],
      columns,
      rows: [
        { keys: { family: 'software', region: 'EMEA', tenure: { to: 12 } }, values: { base: 0.08 } },
        { keys: { family: 'software' }, values: { base: 0.09 } },
      ],
    });
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { hireDate: '2025-07-01' });
    const lines = [
      { lineId: '1', family: 'Software', amount: 1 },
      { lineId: '2', family: 'Support', amount: 1 },
    ];
    await workspace.deal('D', 2, '2026-02-10', { fields: { region: 'emea' }, lines });
    const send = (body: object) => workspace.api.send('POST', '/v1/rate-tables/Products/lookup', body);
    const { body: first } = await send({ dealId: 'D', lineId: '1' });
    expect(first.row.values).to.deep.equal({ base: 0.08 });
    expect(first.keys).to.deep.equal([
      { name: 'family', value: 'Software', matched: 'exact' },
      { name: 'region', value: 'emea', matched: 'exact' },
      { name: 'tenure', value: 7, matched: 'range' },
    ]);
    expect((await send({ dealId: 'D', lineId: '1', repId: workspace.mia })).body.keys[2].matched).to.equal('any');
    expect((await send({ dealId: 'D', lineId: '2' })).body.nearest.map((near: Loose) => near.differing)).to.deep.equal([
      ['family'],
      ['family'],
    ]);
    await expectError('400 VALIDATION_FAILED', send({ dealId: 'D' }));
    await expectError('400 VALIDATION_FAILED', send({ dealId: 'D', values: {} }));
    await expectError('404 line_not_found', send({ dealId: 'D', lineId: '3' }));
    await expectError('404 deal_not_found', send({ dealId: 'E', lineId: '1' }));
    await workspace.calculated();
  });

  describe('T13: fields of people as keys', () => {
    const titles = (field = 'rep.title') => ({
      keys: [{ name: 'title', field, match: 'exact' }],
      columns,
      rows: [
        { keys: { title: 'AE' }, values: { base: 0.1 } },
        { keys: { title: 'Senior' }, values: { base: 0.12 } },
      ],
    });
    const values = (...all: readonly object[]) => ({ values: all });
    const fieldPath = (slug = 'title', query = '') => `/v1/reps/${workspace.ben}/fields/${slug}${query}`;
    const setField = (body: object, slug = 'title') => workspace.api.expect(200, 'PUT', fieldPath(slug), body);

    it('are not changed by the person whose rates they decide', async () => {
      const { api } = workspace;
      const [amy] = await api.saveReps({ name: 'Amy', role: 'admin' });
      const session = await workspace.as(amy);
      await session.expect(200, 'PATCH', `/v1/reps/${amy}`, { title: 'AE' });
      await put(titles());
      const { email } = await api.expect(200, 'GET', `/v1/reps/${amy}`);
      await expectError('403 forbidden', session.patch(`/v1/reps/${amy}`, { title: 'Senior' }));
      await expectError(
        '403 forbidden',
        session.put('/v1/reps', { reps: [{ email, name: 'Amy', role: 'admin', title: 'Senior' }] }),
      );
      await expectError('403 forbidden', session.put(`/v1/reps/${amy}/fields/title`, values({ value: 'Senior' })));
      await session.expect(200, 'PATCH', `/v1/reps/${amy}`, { title: 'AE', location: 'Berlin' });
      await api.expect(200, 'PATCH', `/v1/reps/${amy}`, { title: 'Senior' });
    });

    it('hold on the days of their values, and a promotion changes no earlier deal (J60)', async () => {
      await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { title: 'AE' });
      await put(titles());
      await payByTable();
      await deal('D1', '2026-02-10');
      await deal('D2', '2026-02-20');
      expect(await earned()).to.deep.equal({ D1: '1000', D2: '1000' });
      const promoted = values({ value: 'AE' }, { from: '2026-02-15', value: 'Senior' });
      const preview = await workspace.api.expect(200, 'PUT', fieldPath('title', '?dryRun=true'), promoted);
      expect(preview.effect.totals).to.deep.equal([{ currency: 'USD', delta: 200 }]);
      expect((await workspace.api.expect(200, 'GET', fieldPath())).values).to.deep.equal([{ value: 'AE' }]);
      expect((await setField(promoted)).values).to.deep.equal(promoted.values);
      expect(await earned()).to.deep.equal({ D1: '1000', D2: '1200' });
      expect((await workspace.api.expect(200, 'GET', `/v1/reps/${workspace.ben}`)).title).to.equal('Senior');
    });

    it('keep what was paid: a title that is changed in any other way holds from today on', async () => {
      await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { title: 'AE' });
      await put(titles());
      await payByTable();
      await deal('D1', '2026-02-10');
      await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { title: 'Senior' });
      expect(await earned()).to.deep.equal({ D1: '1000' });
      const [first, second] = (await workspace.api.expect(200, 'GET', fieldPath())).values;
      expect([first, second.value]).to.deep.equal([{ value: 'AE' }, 'Senior']);
      const reps = [{ email: 'ben@acme.test', name: 'Ben', title: null }];
      await workspace.api.expect(200, 'PUT', '/v1/reps', { reps });
      expect(await earned()).to.deep.equal({ D1: '1000' });
      expect((await workspace.api.expect(200, 'GET', fieldPath())).values).to.have.length(2);
    });

    it('are the present ones, whether or not a table read them when they were changed', async () => {
      const { api, ben } = workspace;
      await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { title: 'AE' });
      await put(titles());
      await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { title: 'SAE' });
      await api.expect(200, 'DELETE', '/v1/rate-tables/Products');
      await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { title: 'Senior' });
      await put(titles());
      await payByTable();
      await deal('D1', '2026-02-10');
      await deal('D2', new Date().toISOString().slice(0, 10));
      expect(await earned()).to.deep.equal({ D1: '1000', D2: '1200' });
      const { values: stored } = await api.expect(200, 'GET', fieldPath());
      expect(stored.map(({ value }: Loose) => value)).to.deep.equal(['AE', 'Senior']);
    });

    it('are those with days: others are no keys, and approved months get a discrepancy', async () => {
      const define = (...fields: object[]) => workspace.api.send('PUT', '/v1/person-fields', { fields });
      const level = { slug: 'level', label: 'Level', type: 'text' };
      expect((await define(level)).status).to.equal(200);
      await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { fields: { level: 'AE' } });
      await rejected('400 field_not_dated', titles('rep.level'));
      await expectError('400 field_not_dated', workspace.api.send('PUT', fieldPath('level'), values()));
      await expectError('400 field_not_dated', workspace.api.send('GET', fieldPath('none')));
      expect((await define({ ...level, dated: true })).status).to.equal(200);
      expect((await workspace.api.expect(200, 'GET', fieldPath('level'))).values).to.deep.equal([{ value: 'AE' }]);
      await expectError('409 person_field_in_use', define());
      await expectError(
        '400 VALIDATION_FAILED',
        workspace.api.send('PATCH', `/v1/reps/${workspace.ben}`, { fields: { level: 'Senior' } }),
      );
      await put(titles('REP.level'));
      await payByTable();
      await deal('D1', '2026-02-10');
      expect(await earned()).to.deep.equal({ D1: '1000' });
      await workspace.generateAndApprove('2026-02');
      await setField(values({ value: 'AE' }, { from: '2026-02-01', value: 'Senior' }), 'level');
      expect(await earned()).to.deep.equal({ D1: '1000' });
      await workspace.checked();
      const { discrepancies } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
      expect([discrepancies[0].delta, discrepancies[0].causes[0].kind]).to.deep.equal([200, 'person']);
    });

    it('reject values that do not fit the field, or have one day twice', async () => {
      const reject = (body: object, slug?: string) =>
        expectError('400 VALIDATION_FAILED', workspace.api.send('PUT', fieldPath(slug), body));
      await reject(values({ value: 'A' }, { value: 'B' }));
      await reject(values({ from: '2026-02-30', value: 'A' }));
      await reject(values({ value: '' }));
      const unknown = '/v1/reps/3f0b2a44-0000-4000-8000-000000000000/fields/title';
      await expectError('404 rep_not_found', workspace.api.send('PUT', unknown, values()));
    });
  });

  it('lists the deals of the last year that meet no row, by the values that a row is missing for', async () => {
    const coverage = () => workspace.api.expect(200, 'GET', '/v1/rate-tables/Products/coverage');
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    await put(table(row('software', 0.1)));
    await workspace.deal('D1', 100, daysAgo(10), { fields: { family: 'Software' } });
    await workspace.deal('D2', 100, daysAgo(20), { fields: { family: 'Support' } });
    await workspace.deal('D3', 100, daysAgo(30), { fields: { family: 'Support' } });
    await workspace.deal('D4', 100, daysAgo(40));
    await workspace.deal('D5', 100, daysAgo(400), { fields: { family: 'Old' } });
    await workspace.deal('D6', 100, daysAgo(5), { stage: 'Lost', fields: { family: 'Lost' } });
    expect(await coverage()).to.deep.include({
      deals: 4,
      missingDeals: 3,
      truncated: false,
      missing: [
        { keys: { family: 'Support' }, deals: 2, lookups: 2, dealIds: ['D2', 'D3'], lastDay: daysAgo(20) },
        { keys: { family: null }, deals: 1, lookups: 1, dealIds: ['D4'], lastDay: daysAgo(40) },
      ],
    });
    await put({ ...table(row('software', 0.1)), keys: [{ ...key, field: 'line.family' }] });
    expect(await coverage()).to.deep.include({ deals: 0, missingDeals: 0, missing: [] });
    const lines = ['software', 'support', 'support'].map((family, index) => ({
      lineId: `${index}`,
      family,
      amount: 1,
    }));
    await workspace.deal('D7', 3, daysAgo(3), { lines });
    expect(await coverage()).to.deep.include({
      deals: 1,
      missing: [{ keys: { family: 'support' }, deals: 1, lookups: 2, dealIds: ['D7'], lastDay: daysAgo(3) }],
    });
    await workspace.calculated();
  });

  const upload = (text: string, query = '') =>
    workspace.api.expect(200, 'POST', `/v1/rate-tables/products/import${query}`, text, { 'content-type': 'text/csv' });

  it('T16: a file replaces the rows, with ranges, percentages and values of other kinds', async () => {
    await put({
      keys: [key, { name: 'term', field: 'months', match: 'range' }],
      columns: [...columns, { name: 'fee', kind: 'amount' }],
      rows: [{ keys: { family: 'a' }, values: { base: 0.1, fee: 5 } }],
    });
    const file =
      'Family,term,BASE,fee,effective start\na,,10 %,5,\nb,0..12,0.125,perUnit:25,2026-02-01\nb,24..,amount:10,0,\n*,..0.1,rate: 5 %,1,\n';
    expect(await upload(file, '?dryRun=true')).to.deep.include({ accepted: 3, unchanged: 1, dryRun: true });
    const done = await upload(file, '?note=Rates');
    expect(done.table).to.deep.include({ name: 'Products', revision: 2, rows: { added: 3, changed: 0, ended: 0 } });
    expect((await read()).rows).to.deep.equal([
      { keys: { family: 'a', term: '*' }, values: { base: 0.1, fee: 5 } },
      {
        keys: { family: 'b', term: { from: 0, to: 12 } },
        values: { base: 0.125, fee: { perUnit: 25 } },
        effectiveStart: '2026-02-01',
      },
      { keys: { family: 'b', term: { from: 24 } }, values: { base: { amount: 10 }, fee: 0 } },
      { keys: { family: '*', term: { to: 0.1 } }, values: { base: { rate: 0.05 }, fee: 1 } },
    ]);
  });

  it('T16: a file with from keeps the rows of earlier days', async () => {
    await put(table(row('a', 0.1)));
    await upload('family,base\na,0.2\n', '?from=2026-02-15');
    expect((await read()).rows).to.deep.equal([
      row('a', 0.1, { effectiveEnd: '2026-02-14' }),
      row('a', 0.2, { effectiveStart: '2026-02-15' }),
    ]);
    const { results } = await upload('family,base,effectiveEnd\na,0.3,2026-01-31\n', '?from=2026-02-15');
    expect(results[0].reason).to.equal('effectiveEnd: must not be before from');
  });

  it('T16: a file is rejected as the same rows in a request are, where a plan or a key cannot use them', async () => {
    const send = (text: string) =>
      workspace.api.send('POST', '/v1/rate-tables/Products/import', text, { 'content-type': 'text/csv' });
    await put(table(row('*', 0.1)));
    await payByTable();
    await rejected('409 rate_table_in_use', table({ keys: { family: 'a' }, values: { base: { perUnit: 25 } } }));
    await expectError('409 rate_table_in_use', send('family,base\na,perUnit:25\n'));
  });

  it('T16: one wrong row of a file leaves the table as it is', async () => {
    await put({ ...table(row('a', 0.1)), keys: [key, { name: 'term', field: 'months', match: 'range' }] });
    const stored = await read();
    const rejections = async (...rows: string[]) => {
      const { results, table: changed } = await upload(['family,term,base', ...rows].join('\n'));
      expect(changed).to.equal(null);
      return results.map(({ code, reason }: { code: string; reason: string }) => `${code}: ${reason}`);
    };
    expect(await rejections('a,,0.1', 'b,,', 'c,12,1', 'd,x..,1', 'e,9..1,1', 'f,,11')).to.deep.equal([
      'VALIDATION_FAILED: another row of the file is rejected',
      'value_missing: base: is empty',
      'VALIDATION_FAILED: term: must be a range such as 0..12, 24.. or ..0.1',
      'VALIDATION_FAILED: term: x is neither a number nor a day',
      'VALIDATION_FAILED: term: must end after its beginning',
      'VALIDATION_FAILED: base: must be a rate from 0 to 10',
    ]);
    expect(await rejections('a,0..12,0.1', 'b,,1', ',,', 'A,6..,0.2')).to.deep.equal([
      'rows_overlap: overlaps row 4: both match family a, term 6',
      'VALIDATION_FAILED: another row of the file is rejected',
      'rows_overlap: overlaps row 1: both match family a, term 6',
    ]);
    expect(await read()).to.deep.equal(stored);
    const csv = { 'content-type': 'text/csv' };
    const send = (text: string, name = 'Products', query = '') =>
      workspace.api.send('POST', `/v1/rate-tables/${name}/import${query}`, text, csv);
    await expectError('404 rate_table_not_found', send('base\n1\n', 'None'));
    await expectError('400 VALIDATION_FAILED', send('family,base\na,1\n'));
    await expectError('400 VALIDATION_FAILED', send('family,term,base\n'));
    await put({ ...table(row('b', 0.1)), keys: [key, { name: 'term', field: 'months', match: 'range' }] });
    await expectError('409 table_changed', send('family,term,base\na,,1\n', 'Products', '?revision=1'));
  });

  it('T17, T18: a preview has what each plan and person would get, and approved months keep what they paid', async () => {
    await put(table(row('software', 0.1)));
    await payByTable();
    await deal('D1', '2026-01-15');
    await deal('D2', '2026-02-10');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    const next = table(row('software', 0.12), row('services', 0.04));
    const preview = await workspace.api.expect(200, 'PUT', '/v1/rate-tables/Products?dryRun=true', next);
    expect(preview.rows).to.deep.equal({ added: 1, changed: 1, ended: 0 });
    const plans = [{ planId: workspace.planId, name: 'AE' }];
    expect(preview.affected).to.deep.equal({ reps: 2, plans, months: 2, approvedDeals: 1 });
    const change = { currency: 'USD', before: 1000, after: 1200, delta: 200 };
    expect(preview.effect.byPlan).to.deep.equal([{ planId: workspace.planId, ...change }]);
    expect(preview.effect.byPeriod).to.deep.equal([{ repId: workspace.ben, period: '2026-Q1', ...change }]);
    expect(preview.effect.locked).to.deep.equal([
      { repId: workspace.ben, period: '2026-01', currency: 'USD', delta: 200 },
    ]);
    const inPeriod = (period: string) =>
      workspace.api.expect(200, 'POST', '/v1/rate-tables/Products/preview', { ...next, period });
    expect(await inPeriod('2026')).to.deep.equal(preview);
    const { effect: ofJanuary } = await inPeriod('2026-01');
    expect(ofJanuary).to.deep.equal({ ...preview.effect, lines: 0, reps: 0, totals: [], byPeriod: [], byPlan: [] });
    const { effect: ofFebruary } = await inPeriod('2026-02');
    expect(ofFebruary).to.deep.equal({ ...preview.effect, locked: [] });
    const invalid = { ...next, period: 'soon' };
    await expectError('400 VALIDATION_FAILED', workspace.api.send('POST', '/v1/rate-tables/Products/preview', invalid));
    expect(await earned()).to.deep.equal({ D1: '1000', D2: '1000' });
    await put(next);
    expect(await earned()).to.deep.equal({ D1: '1000', D2: '1200' });
  });

  it('J51, J52: rows of later days pay later deals, and a change concerns the days on which rows differ', async () => {
    await put(table(row('software', 0.1)));
    await payByTable();
    await deal('D1', '2026-02-10');
    await deal('D2', '2026-02-15');
    expect(await earned()).to.deep.equal({ D1: '1000', D2: '1000' });
    const preview = await workspace.api.expect(200, 'PUT', '/v1/rate-tables/Products?dryRun=true', {
      ...table(row('software', 0.12)),
      from: '2026-02-15',
    });
    expect(preview.effect.totals).to.deep.equal([{ currency: 'USD', delta: 200 }]);
    const changed = await put({ ...table(row('software', 0.12)), from: '2026-02-15' });
    expect(changed.affected).to.deep.include({ reps: 2, months: 1, approvedDeals: 0 });
    expect(await earned()).to.deep.equal({ D1: '1000', D2: '1200' });
    const requested = await put({
      ...table(
        row('software', 0.1, { effectiveEnd: '2026-02-14' }),
        row('software', 0.12, { effectiveStart: '2026-02-15' }),
      ),
    });
    expect(requested.jobId).to.equal(null);
    await workspace.calculated();
  });
});
