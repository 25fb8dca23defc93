import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const standard = [
  { slug: 'dealAmount', label: 'Deal amount', type: 'currency' },
  { slug: 'dealStage', label: 'Deal stage', type: 'status' },
  { slug: 'closeDate', label: 'Close date', type: 'date' },
  { slug: 'dealName', label: 'Deal name', type: 'text' },
  { slug: 'ownerId', label: 'Owner id', type: 'text' },
  { slug: 'currency', label: 'Currency', type: 'select' },
  { slug: 'createdDate', label: 'Created date', type: 'date' },
];

describe('fields', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await service.workspace());
  });

  const importDeals = (deals: object[]) =>
    api.expect(200, 'POST', '/v1/deals/import', {
      deals: deals.map((deal, index) => ({ dealId: `d${String(index).padStart(4, '0')}`, ...deal })),
    });
  const importFields = (fields: Record<string, unknown>[]) => importDeals(fields.map((one) => ({ fields: one })));
  const fields = () => api.expect(200, 'GET', '/v1/fields');
  const typesOf = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await fields()).slice(7).map((one: { slug: string; type: string }) => [one.slug, one.type]));
  const optionsPath = (slug: string) => `/v1/fields/attributes/${encodeURIComponent(slug)}/options`;
  const options = async (slug: string): Promise<string[]> =>
    (await api.expect(200, 'GET', optionsPath(slug))).map((one: { value: string }) => one.value);

  describe('GET /v1/fields', () => {
    it('returns the standard values without stored deals', async () => {
      expect(await fields()).to.deep.equal(standard);
    });

    it('returns those whose slug or label has a part, in any case', async () => {
      await importFields([{ contract_value: 1, region: 'EMEA' }]);
      const slugs = async (part: string) =>
        (await api.expect(200, 'GET', `/v1/fields?query=${part}`)).map((field: { slug: string }) => field.slug);
      expect(await slugs('VALUE')).to.deep.equal(['contract_value']);
      expect(await slugs('owner%20id')).to.deep.equal(['ownerId']);
      expect(await slugs('nothing')).to.deep.equal([]);
    });

    it('leaves out the fields that only scores have, where they are not wanted', async () => {
      const [ann] = await api.saveReps('Ann');
      const scores = [{ repId: ann, period: '2026-Q1', score: 80 }];
      await importFields([{ csat: 4 }]);
      for (const field of ['mbo_points', 'csat']) await api.expect(200, 'PUT', '/v1/scores', { field, scores });
      const own = async (query: string) =>
        (await api.expect(200, 'GET', `/v1/fields${query}`)).slice(7).map((field: { slug: string }) => field.slug);
      const { openPipeline } = await api.expect(200, 'GET', `/v1/commissions?repId=${ann}`);
      expect(openPipeline.deals, 'a score is no open deal').to.equal(0);
      expect(await own('')).to.include.members(['csat', 'mbo_points']);
      expect(await own('?scores=false')).to.deep.equal(['csat']);
    });

    it('adds the further fields of products, where they are wanted', async () => {
      await importFields([{ csat: 4 }]);
      const line = { lineId: '1', amount: 10, family: 'software', fields: { sales_region: 'EMEA', seats: '12' } };
      await api.expect(200, 'PUT', '/v1/deals/d0000/lines', { lines: [line] });
      const csat = { slug: 'csat', label: 'Csat', type: 'number' };
      expect((await fields()).slice(7)).to.deep.equal([csat]);
      expect((await api.expect(200, 'GET', '/v1/fields?lines=true')).slice(7)).to.deep.equal([
        csat,
        { slug: 'line.sales_region', label: 'Line sales region', type: 'text' },
        { slug: 'line.seats', label: 'Line seats', type: 'number' },
      ]);
    });

    it('adds the fields of deals, by slug, with readable labels, also under the alias /v1/fields/attributes', async () => {
      await importFields([{ zeta: 'x', close_value: 10, Alpha__c: true, 'SE Email': 'x' }, { beta: null }]);
      const all = await fields();
      expect(all).to.deep.equal([
        ...standard,
        { slug: 'Alpha__c', label: 'Alpha', type: 'checkbox' },
        { slug: 'SE Email', label: 'SE Email', type: 'text' },
        { slug: 'beta', label: 'Beta', type: 'text' },
        { slug: 'close_value', label: 'Close value', type: 'number' },
        { slug: 'zeta', label: 'Zeta', type: 'text' },
      ]);
      expect(await api.expect(200, 'GET', '/v1/fields/attributes')).to.deep.equal(all);
    });

    it('infers types from the values that are not empty', async () => {
      await importFields([
        { flag: true, n: 1, t: '1,5', day: '2026-01-31', at: '2026-01-31T10:00:00Z', mixed: '2026-01-31', m: ['a'] },
        {
          flag: false,
          n: '2.5',
          t: '2',
          day: '2026-02-01',
          at: '2026-01-31 10:00:00+0200',
          mixed: '2026-01-31T10:00',
          m: [],
        },
        { flag: null, n: ' -1e3 ', t: '3', day: '', at: null, mixed: '', m: null, word: 'once' },
        { flag: true, n: '', kind: 'A', either: true },
        { n: null, kind: 'A', either: 'true' },
        { kind: 'B', either: 'maybe', either2: '2026-01-31', id: 'u1' },
        { kind: 'B', either2: 'soon', id: 'u2' },
      ]);
      expect(await typesOf()).to.deep.equal({
        at: 'timestamp',
        day: 'date',
        either: 'text',
        either2: 'text',
        flag: 'checkbox',
        id: 'text',
        kind: 'select',
        m: 'select',
        mixed: 'timestamp',
        n: 'number',
        t: 'text',
        word: 'text',
      });
    });

    it('returns text with up to twenty values that repeat as a select field', async () => {
      const values = (count: number, times: number) =>
        Array.from({ length: count * times }, (_, index) => ({ [`c${count}x${times}`]: `v${index % count}` }));
      await importFields([...values(20, 2), ...values(21, 3), ...values(20, 1)]);
      expect(await typesOf()).to.deep.equal({ c20x1: 'text', c20x2: 'select', c21x3: 'text' });
    });

    it('returns the stage as a status field, by name or by mapping', async () => {
      await importFields([{ stage: 'A', phase: 'B' }]);
      expect(await typesOf()).to.deep.equal({ phase: 'text', stage: 'status' });
      await api.expect(201, 'POST', '/v1/fields/save', { standard: { dealStage: 'phase' } });
      expect(await typesOf()).to.deep.equal({ phase: 'status', stage: 'text' });
    });

    it('lists a field once if it has the name of a standard value', async () => {
      await importFields([{ currency: 'EUR', ownerId: 7 }]);
      expect(await fields()).to.deep.equal(standard);
    });

    it('reads the newest 2,000 deals, including deleted ones', async () => {
      await importFields([{ old: 1 }]);
      await api.expect(200, 'DELETE', '/v1/deals/d0000');
      expect(await typesOf()).to.deep.equal({ old: 'number' });
      await importFields([{}, ...Array.from({ length: 2000 }, () => ({ fresh: 1 }))].slice(1));
      await api.expect(200, 'PUT', '/v1/deals/d0000', { fields: { fresh: 2 } });
      expect(await typesOf()).to.deep.equal({ fresh: 'number' });
    });
  });

  describe('GET /v1/fields/attributes/:slug/options', () => {
    it('returns the distinct values, trimmed and sorted, with the items of lists separately', async () => {
      await importFields([
        { tags: ['b', 'A '], type: 'new' },
        { tags: ['c', 'b'], type: 'New' },
        { tags: [], type: '' },
        { tags: null, type: 'new' },
        { tags: ['ß', ''], type: 'New' },
      ]);
      expect(await api.expect(200, 'GET', optionsPath('tags'))).to.deep.equal([
        { label: 'A', value: 'A' },
        { label: 'b', value: 'b' },
        { label: 'c', value: 'c' },
        { label: 'ß', value: 'ß' },
      ]);
      expect(await options('type')).to.deep.equal(['New', 'new']);
    });

    it('returns stages and currencies under their standard names, whatever their source', async () => {
      expect(await options('dealStage')).to.deep.equal([]);
      await importDeals([
        { stage: 'Won', currency: 'USD' },
        { fields: { dealstage: 'Lost' } },
        { fields: { currency: 'EUR' }, currency: 'USD' },
        { fields: { currency: null, dealStage: '' }, currency: 'GBP', stage: 'Open' },
      ]);
      expect(await options('dealStage')).to.deep.equal(['Lost', 'Open', 'Won']);
      for (const slug of ['stage', 'dealstage'])
        expect(await options(slug), slug).to.deep.equal(['Lost', 'Open', 'Won']);
      expect(await options('currency')).to.deep.equal(['EUR', 'GBP', 'USD']);
    });

    it('accepts every slug by which a plan reads the field: aliases, standard names and mapped slugs', async () => {
      await importFields([
        { phase: 'Won', kind: 'New', stage: 'ignored', note: 'a note' },
        { phase: 'Lost', kind: 'New', note: 'another' },
        { phase: 'Lost', kind: 'Renewal' },
        { phase: 'Won', kind: 'Renewal' },
      ]);
      await api.expect(201, 'POST', '/v1/fields/save', {
        standard: { dealStage: 'phase' },
        measures: { dealType: 'kind', remark: 'note' },
      });
      for (const slug of ['phase', 'dealStage']) expect(await options(slug), slug).to.deep.equal(['Lost', 'Won']);
      // A plan with `stage` reads a deal's own field of that name first.
      for (const slug of ['stage', 'dealstage'])
        expect(await options(slug), slug).to.deep.equal(['ignored', 'Lost', 'Won']);
      for (const slug of ['kind', 'dealType']) expect(await options(slug), slug).to.deep.equal(['New', 'Renewal']);
      await expectError('404 field_not_found', api.get(optionsPath('remark')));
    });

    it('returns at most a thousand values', async () => {
      const tags = (from: number) => Array.from({ length: 200 }, (_, index) => `t${1000 + from + index}`);
      await importFields([0, 200, 400, 600, 800, 1000].map((from) => ({ tags: tags(from) })));
      const all = await options('tags');
      expect([all.length, all[0], all[999]]).to.deep.equal([1000, 't1000', 't1999']);
    });

    it('returns 404 for other fields, whatever their name', async () => {
      await importFields([{ note: 'x', n: 1, "a'b": ['x'], '$.x': ['x', 'y'] }]);
      for (const slug of ['nope', 'note', 'n', 'dealAmount', 'closeDate', 'dealName', 'ownerId', '']) {
        expect((await api.get(optionsPath(slug))).status, slug).to.equal(404);
      }
      for (const slug of [
        '__proto__',
        'constructor',
        'toString',
        "a'b'",
        '$.',
        '$.*',
        '%',
        '\u0000',
        '\ud83d',
        '../x',
        'x'.repeat(3000),
        "'; drop table deals --",
        '{a}',
      ]) {
        const path = slug === '\ud83d' ? '/v1/fields/attributes/%F0%9F%98/options' : optionsPath(slug);
        const { status, body } = await api.get(path);
        if (slug === '\ud83d') expect(status).to.be.oneOf([400, 404]);
        else expect([slug, status, body.code]).to.deep.equal([slug, 404, 'field_not_found']);
      }
      expect(await options("a'b")).to.deep.equal(['x']);
      expect(await options('$.x')).to.deep.equal(['x', 'y']);
    });
  });

  describe('POST /v1/fields/auto-match', () => {
    it('suggests a mapping from stored deals that can be saved, and saves nothing', async () => {
      const deal = { deal_stage: 'Won', close_value: '1054', close_date: '2026-03-01', sales_agent: 'Moses', seats: 3 };
      await importFields([deal, { ...deal, close_value: 2000 }]);
      const suggested = await api.expect(201, 'POST', '/v1/fields/auto-match');
      expect(suggested).to.deep.equal({
        standard: {
          dealAmount: 'close_value',
          dealStage: 'deal_stage',
          closeDate: 'close_date',
          ownerId: 'sales_agent',
        },
        measures: { seats: 'seats' },
      });
      const empty = { standard: {}, measures: {} };
      expect(await api.expect(200, 'GET', '/v1/fields/current')).to.deep.equal(empty);
      await api.expect(201, 'POST', '/v1/fields/save', suggested);
      expect(await api.expect(200, 'GET', '/v1/fields/current')).to.deep.equal(suggested);
      expect(await options('deal_stage')).to.deep.equal(['Won']);
    });

    it('suggests nothing without stored deals', async () => {
      expect(await api.expect(201, 'POST', '/v1/fields/auto-match', {})).to.deep.equal({ standard: {}, measures: {} });
    });
  });
});
