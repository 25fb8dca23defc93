import { expect } from 'chai';
import { id18 } from '#src/kernel/opportunity-id.js';
import { type ApiClient } from '#test/support/api-client.js';
import { exportedDeal } from '#test/support/exported-deal.js';
import { Service } from '#test/support/service.js';

describe('the import of deals from files in common formats', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let ann: string;

  beforeEach(async () => {
    ({ api } = await service.workspace({ timezone: 'America/New_York' }));
    [ann] = await api.saveReps({ name: 'Ann', crmMemberId: 'CRM-Ann' });
  });

  const send = (status: number, text: string, query = '') =>
    api.expect(status, 'POST', `/v1/deals/import${query}`, text, { 'Content-Type': 'text/csv' });
  const deals = async () => {
    const { deals: found } = await api.expect(200, 'GET', '/v1/deals');
    return new Map<string, Record<string, unknown>>(found.map((deal: { deal_id: string }) => [deal.deal_id, deal]));
  };
  const amounts = async () => Object.fromEntries([...(await deals())].map(([id, { amount }]) => [id, amount]));

  describe('columns', () => {
    it('leave values unchanged for which the file has no column or an empty cell', async () => {
      await send(200, 'id,name,amount,stage,close_date,owner_id\nd1,One,100,Won,2026-03-01,CRM-Ann\n');
      expect(await send(200, 'id,amount,stage\nd1,250,\n')).to.include({ accepted: 1 });
      expect((await deals()).get('d1')).to.deep.include({
        name: 'One',
        amount: 250,
        stage: 'Won',
        closeDate: '2026-03-01',
        repId: ann,
      });
      expect(await send(200, 'id,amount\nd1,250\n')).to.include({ accepted: 0, unchanged: 1 });
    });

    it('clear values that the file does not contain in mode replace', async () => {
      await send(200, 'id,name,amount,stage\nd1,One,100,Won\n');
      await send(200, 'id,amount\nd1,250\n', '?mode=replace');
      expect((await deals()).get('d1')).to.include({ name: null, amount: 250, stage: null });
    });

    it('replace a value stored under its standard name', async () => {
      await api.expect(201, 'PUT', '/v1/deals/d1', { name: 'One', amount: 100, repId: ann, stage: 'Open' });
      await send(200, 'id,amount,stage\nd1,300,Won\n');
      expect((await deals()).get('d1')).to.include({ name: 'One', amount: 300, stage: 'Won', repId: ann });
    });

    it('of the file that the web app exports keep the values of the deal', async () => {
      await api.expect(201, 'POST', '/v1/fields/save', { standard: { dealAmount: 'tcv' } });
      const { standard, fields } = exportedDeal;
      await api.expect(201, 'PUT', '/v1/deals/D-1', { ...standard, repId: ann, fields });
      await send(200, exportedDeal.file, '?idColumn=deal_id');
      const stored = (await deals()).get('D-1');
      expect(stored).to.deep.include({ ...standard, amount: fields.tcv, repId: ann });
      const texts = Object.entries(fields).map(([slug, value]) => [slug, String(value)]);
      expect(stored?.['fields']).to.deep.include(Object.fromEntries(texts));
      expect(await send(200, exportedDeal.file, '?idColumn=deal_id')).to.include({ accepted: 0, unchanged: 1 });
    });

    it('of a JSON file are merged in the same way', async () => {
      await api.expect(201, 'PUT', '/v1/deals/d1', { name: 'One', amount: 100, repId: ann });
      await api.expect(200, 'POST', '/v1/deals/import', { deals: [{ dealId: 'd1', amount: 200 }] });
      expect((await deals()).get('d1')).to.include({ name: 'One', amount: 200, repId: ann });
    });

    it('match field names ignoring case, spaces and punctuation', async () => {
      const answer = await send(200, 'ID,Deal Name,Amount,Close-Date,Owner E-Mail\nd1,One,5,2026-03-01,ann@x.io\n');
      expect(answer.warnings.map(({ column }: { column: string }) => column)).to.deep.equal([]);
      expect((await deals()).get('d1')).to.include({ name: 'One', amount: 5, closeDate: '2026-03-01', repId: ann });
    });

    it('return 400 no_known_columns with suggestions if none is known, and nothing is stored', async () => {
      const { code, details } = await send(400, 'id,Amuont,Colour\nd1,5,red\n');
      expect(code).to.equal('no_known_columns');
      expect(details.suggestions[0]).to.deep.equal({ column: 'Amuont', suggestions: ['amount'] });
      expect((await deals()).size).to.equal(0);
    });

    it('return 400 no_known_columns if none is known and the id column is missing', async () => {
      const { code } = await send(400, 'Amuont,Colour\n5,red\n');
      expect(code).to.equal('no_known_columns');
    });

    it('that are unknown are stored and listed in warnings if others are known', async () => {
      const { warnings } = await send(200, 'id,amount,Colour\nd1,5,red\n');
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.include({ code: 'unknown_column', column: 'Colour' });
      expect((await deals()).get('d1')?.['fields']).to.deep.include({ Colour: 'red' });
    });

    it('that stored deals have are known, whatever their values, also of deleted deals', async () => {
      await send(200, 'id,amount,Colour,Size,Since\nd1,5,red,,\nd2,5,,7,\nd3,5,,,2026-01-05\n');
      await api.expect(200, 'DELETE', '/v1/deals/d3');
      const { warnings } = await send(200, 'id,amount,colour,SIZE,since,other\nd4,5,red,7,2026-01-05,x\n');
      expect(warnings.map(({ column }: { column: string }) => column)).to.deep.equal(['other']);
    });
  });

  describe('ids of Salesforce', () => {
    const [short, other] = ['006Dn00000AbCdE', '006Dn00000xYzAb'];
    const [long, otherLong] = [id18(short), id18(other)];
    const ids = async () => [...(await deals()).keys()].sort();

    it('have two lengths and are one deal, in a file, in another file, and in a request', async () => {
      const rows = `${short},100\n${long},100\n`;
      const both = await send(200, `id,amount\n${rows}`);
      expect(both).to.deep.include({ accepted: 1, rejected: [{ row: 2, reason: `${long}: row 1 has the same id` }] });
      expect(await send(200, `id,amount\n${long},200\n`)).to.include({ created: 0, changed: 1 });
      expect((await api.expect(200, 'PUT', `/v1/deals/${long}`, { amount: 300 })).deal_id).to.equal(short);
      expect(await amounts()).to.deep.equal({ [short]: 300 });
    });

    it('of which the newer row counts where both say when they changed', async () => {
      const lines = [`${long},1,2026-03-01T00:00:00Z`, `${short},2,2026-03-02T00:00:00Z`];
      await send(200, `id,amount,sourceUpdatedAt\n${lines.join('\n')}\n`);
      expect(await amounts()).to.deep.equal({ [long]: 2 });
    });

    it('are completed beside a long id that is stored, or a connection, and otherwise named', async () => {
      const dry = await send(200, `id,amount\n${short},1\n`, '?dryRun=true');
      expect(dry.rows[0]).to.include({ dealId: short });
      expect(dry.warnings[0]).to.include({ code: 'short_ids', column: 'id' });
      expect(dry.warnings[0].message).to.match(/^1 ids have 15 characters/);
      await send(200, `id,amount\n${otherLong},1\n`);
      const again = await send(200, `id,amount\n${short},1\n${other},2\n`, '?dryRun=true');
      expect(again.rows.map(({ dealId }: { dealId: string }) => dealId)).to.deep.equal([long, otherLong]);
      expect(again).to.deep.include({ created: 1, changed: 1, warnings: [] });
      await send(200, `id,amount\n${short},1\n${other},2\n`);
      expect(await ids()).to.deep.equal([long, otherLong].sort());
      expect(await api.expect(200, 'PUT', `/v1/deals/${short}`, { amount: 5 })).to.include({ deal_id: long });
    });

    it('are no others: a wrong check, another object, another length', async () => {
      const rows = [`${short}AAA`, '001Dn00000AbCdE', '006Dn00000AbCd'];
      const { warnings } = await send(200, `id,amount\n${otherLong},0\n${rows.join(',1\n')},1\n`);
      expect(warnings).to.deep.equal([]);
      expect(await ids()).to.deep.equal([...rows, otherLong].sort());
    });
  });

  it('a row with the sum of the rows above, without owner and day, is named and not in the control total', async () => {
    const lines = [
      'd1,100,2026-03-01,CRM-Ann',
      'd2,50.5,2026-03-02,CRM-Ann',
      'Total,150.5,,',
      'd3,1,2026-03-03,CRM-Ann',
    ];
    const dry = await send(200, `id,amount,close_date,owner_id\n${lines.join('\n')}\n`, '?dryRun=true');
    expect(dry.totalRows).to.deep.equal([3]);
    expect(dry.totals).to.deep.equal([{ currency: 'USD', rows: 3, amount: 151.5 }]);
  });

  describe('numbers', () => {
    it('may have currency signs, thousands separators, parentheses and trailing signs', async () => {
      const cells = ['"$45,000.00"', '"(5,000.00)"', '"($1,234,567.5)"', 'USD 12', '€7.5', '-3', '"1,000.25-"', '12'];
      const lines = cells.map((cell, index) => `d${index},${cell}`).join('\n');
      const answer = await send(200, `id,amount\n${lines}\n`);
      expect(answer).to.deep.include({ rejected: [], numberFormat: 'en' });
      expect(Object.values(await amounts()).sort((a, b) => Number(a) - Number(b))).to.deep.equal(
        [45_000, -5000, -1_234_567.5, 12, 7.5, -3, -1000.25, 12].sort((a, b) => a - b),
      );
    });

    it('are read as eu where a number of the file allows only that format', async () => {
      const text = 'id;amount\nd1;1.234\nd2;1.000,50\nd3;45.000 €\nd4;-7,5\n';
      expect(await send(200, text, '?delimiter=;')).to.deep.include({ rejected: [], numberFormat: 'eu' });
      expect(await amounts()).to.deep.equal({ d1: 1234, d2: 1000.5, d3: 45_000, d4: -7.5 });
    });

    it('that can be read in two ways are rejected with their row, unless the format is given', async () => {
      const text = 'id,amount\nd1,1.234\nd2,500\n';
      const answer = await send(200, text);
      expect(answer).to.include({ accepted: 1, numberFormat: null });
      expect(answer.rejected[0]).to.include({ row: 1, code: 'ambiguous_number' });
      expect(await send(200, text, '?numberFormat=en')).to.include({ accepted: 1, unchanged: 1 });
      expect(await amounts()).to.deep.equal({ d1: 1.234, d2: 500 });
      await send(200, text, '?numberFormat=eu');
      expect((await amounts())['d1']).to.equal(1234);
    });

    it('of two formats in one file are read if unambiguous and rejected if ambiguous', async () => {
      const answer = await send(200, 'id,amount\nd1,"1.000,50"\nd2,"1,000.50"\nd3,"1,000"\n');
      expect(answer).to.include({ accepted: 2, numberFormat: null });
      expect(answer.rejected.map(({ row }: { row: number }) => row)).to.deep.equal([3]);
    });

    it('that contradict the given format are rejected', async () => {
      const answer = await send(200, 'id,amount\nd1,"12,34"\nd2,abc\n', '?numberFormat=en');
      expect(answer.rejected.map(({ row }: { row: number }) => row)).to.deep.equal([1, 2]);
    });

    it('in fields that plans measure are read in the same way', async () => {
      const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
      const config = { rules: [{ name: 'R', measure: 'Annual_Value', tiers }] };
      await api.createPlan({ name: 'P', config });
      await send(200, 'id,annual value\nd1,"$1,500.00"\n');
      expect((await deals()).get('d1')?.['fields']).to.deep.equal({ Annual_Value: '1500.00' });
    });
  });

  describe('dates', () => {
    it('that are midnight UTC are named with the day before that they are here', async () => {
      const read = async (cells: readonly string[]) => {
        const lines = cells.map((cell, index) => `d${index},${cell}`).join('\n');
        return send(200, `id,Close Date\n${lines}\n`, '?dryRun=true');
      };
      const all = await read(['2026-03-01T00:00:00Z', '2026-03-02T00:00:00.000+00:00']);
      expect(all.columns[0].example).to.deep.equal({ text: '2026-03-01T00:00:00Z', day: '2026-02-28' });
      expect(all.rows[0].closeDate).to.equal('2026-02-28');
      expect(all.warnings[0]).to.include({ code: 'midnight_utc', column: 'Close Date' });
      expect(all.warnings[0].message).to.match(/^All 2 values .* 2026-03-01T00:00:00Z is stored as 2026-02-28/);
      const mixed = await read(['2026-03-01T00:00:00Z', '2026-03-02T15:30:00Z']);
      expect([mixed.warnings, mixed.columns[0].example.day]).to.deep.equal([[], '2026-02-28']);
      const days = await read(['2026-03-01', '2026-03-02']);
      expect([days.warnings, days.columns[0].example]).to.deep.equal([[], undefined]);
      await api.expect(200, 'PATCH', '/v1/workspaces', { timezone: 'Asia/Tokyo' });
      expect((await read(['2026-03-01T00:00:00Z'])).warnings).to.deep.equal([]);
    });

    const closeDates = async (cells: readonly string[], query: string) => {
      const lines = cells.map((cell, index) => `d${index},"${cell}"`).join('\n');
      const { rejected } = await send(200, `id,close_date\n${lines}\n`, query);
      const found = await deals();
      return [cells.map((_, index) => found.get(`d${index}`)?.['closeDate'] ?? null), rejected.length];
    };

    it('may be ISO or in the declared format, with two-digit years, and lose their times', async () => {
      const cells = [
        '3/4/2026',
        '3/4/26',
        '2026-03-04',
        '3/4/2026 14:30',
        '03.04.2026',
        '3/4/26 2:30 PM',
        '2026-03-04 23:30:00',
      ];
      expect(await closeDates(cells, '?dateFormat=MDY')).to.deep.equal([cells.map(() => '2026-03-04'), 0]);
      expect(await closeDates(['3/4/26', '12/31/99'], '?dateFormat=DMY')).to.deep.equal([
        ['2026-04-03', '2026-03-04'],
        1,
      ]);
    });

    it("with a time and a zone are converted to the workspace's time zone, and keep their day without a zone", async () => {
      const cells = [
        '2026-04-01T02:00:00Z',
        '2026-04-01T02:00:00+02:00',
        '2026-04-01T02:00:00',
        '4/1/2026 2:00 AM UTC',
        '4/1/2026 02:00 -04:00',
      ];
      expect(await closeDates(cells, '?dateFormat=MDY')).to.deep.equal([
        ['2026-03-31', '2026-03-31', '2026-04-01', '2026-03-31', '2026-04-01'],
        0,
      ]);
    });

    it('of an unknown format are rejected', async () => {
      const cells = ['2/30/2026', '13/13/2026', 'soon', '2026-02-30', '3/4/2026 25:00'];
      expect(await closeDates(cells, '?dateFormat=MDY')).to.deep.equal([cells.map(() => null), cells.length]);
    });
  });

  describe('owners', () => {
    it('are found by CRM member id, then by e-mail, ignoring case, in any owner column', async () => {
      const lines = ['d1,crm-ANN,', 'd2,Ann@X.io,', 'd3,,ANN@x.io', 'd4,,CRM-Ann', 'd5,no-one,ann@x.io', 'd6,no-one,'];
      await send(200, `id,owner_id,owner_email\n${lines.join('\n')}\n`);
      const owners = [...(await deals())].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { repId }]) => repId);
      expect(owners).to.deep.equal([ann, ann, ann, ann, ann, null]);
    });

    it('are found in the mapped owner column, also when the rep is created later', async () => {
      await api.expect(201, 'POST', '/v1/fields/save', { standard: { ownerId: 'seller' } });
      await send(200, 'id,Seller\nd1,ANN@X.IO\nd2,Bob@x.io\nd3,crm-bob\n');
      expect((await deals()).get('d1')).to.include({ repId: ann });
      const [bob] = await api.saveReps({ name: 'Bob', crmMemberId: 'CRM-Bob' });
      const found = await deals();
      expect([found.get('d2')?.['repId'], found.get('d3')?.['repId']]).to.deep.equal([bob, bob]);
    });

    it('whom no rep is are counted, stay with the deal, and are matched by an admin for these and later deals', async () => {
      const text =
        'id,owner_email,owner_id,amount\nd1,H.Gone@x.io,,5\nd2,h.gone@x.io,,5\nd3,,SELLER 7,5\nd4,,,5\nd5,ann@x.io,,5\n';
      const expected = { rowsWithUnknownOwner: 3, rowsWithoutOwner: 1, reassigned: 0 };
      expect(await send(200, text, '?dryRun=true')).to.include(expected);
      const { unknownOwners, ...counts } = await send(200, text);
      expect(counts).to.include(expected);
      expect(unknownOwners).to.deep.equal([
        { owner: 'h.gone@x.io', rows: 2 },
        { owner: 'SELLER 7', rows: 1 },
      ]);
      expect((await deals()).get('d1')).to.include({ repId: null, ownerId: null, ownerEmail: 'h.gone@x.io' });
      const listed = () => api.expect(200, 'GET', '/v1/deal-owners');
      expect(await listed()).to.deep.equal({
        owners: [
          { owner: 'h.gone@x.io', deals: 2, lastCloseDate: null },
          { owner: 'SELLER 7', deals: 1, lastCloseDate: null },
        ],
        dealsWithoutOwner: 1,
        count: 2,
        limit: 100,
        offset: 0,
      });
      const match = (matches: object[]) => api.expect(200, 'PUT', '/v1/deal-owners', { matches });
      expect(await match([{ owner: 'H.GONE@x.io', repId: ann }])).to.deep.equal({ matched: 1, deals: 2 });
      expect(await match([{ owner: 'H.GONE@x.io', repId: ann }])).to.deep.equal({ matched: 1, deals: 0 });
      await send(200, 'id,owner_email\nd6,h.gone@x.io\n');
      const found = await deals();
      expect(['d1', 'd2', 'd3', 'd6'].map((id) => found.get(id)?.['repId'])).to.deep.equal([ann, ann, null, ann]);
      expect((await listed()).owners.map(({ owner }: { owner: string }) => owner)).to.deep.equal(['SELLER 7']);
      await match([{ owner: 'h.gone@x.io', repId: null }]);
      expect(await send(200, 'id,owner_email\nd7,h.gone@x.io\n')).to.include({ rowsWithUnknownOwner: 1 });
      const unknown = { matches: [{ owner: 'x', repId: '00000000-0000-4000-8000-000000000000' }] };
      expect((await api.put('/v1/deal-owners', unknown)).body).to.include({ code: 'rep_not_found' });
    });

    it('that move a deal away from its rep are listed before the import', async () => {
      const [bob] = await api.saveReps({ name: 'Bob', crmMemberId: 'CRM-Bob' });
      await send(200, 'id,owner_id\nd1,CRM-Ann\nd2,CRM-Ann\nd3,CRM-Ann\n');
      const answer = await send(200, 'id,owner_id\nd1,CRM-Bob\nd2,gone\nd3,CRM-Ann\n', '?dryRun=true');
      expect(answer.reassigned).to.equal(2);
      expect(answer.reassignedDeals).to.deep.equal([
        { dealId: 'd1', fromRepId: ann, toRepId: bob },
        { dealId: 'd2', fromRepId: ann, toRepId: null },
      ]);
    });

    it('are found by the exact member id when two ids differ only in case', async () => {
      const [, second] = await api.saveReps({ name: 'X0', crmMemberId: '005aB' }, { name: 'X1', crmMemberId: '005Ab' });
      await send(200, 'id,owner_id\nd1,005Ab\nd2,005AB\n');
      const found = await deals();
      expect([found.get('d1')?.['repId'], found.get('d2')?.['repId']]).to.deep.equal([second, null]);
    });
  });

  it('reject a row with the id of an earlier row, unless both say when they changed', async () => {
    const undated = await send(200, 'id,amount\nd1,100\nd2,5\nd1,200\n');
    expect(undated.rejected).to.deep.equal([{ row: 3, reason: 'd1: row 1 has the same id' }]);
    expect(await amounts()).to.include({ d1: 100 });
    const half = await send(200, 'id,amount,source_updated_at\nd3,1,2026-01-02T00:00:00Z\nd3,2,\n');
    expect(half.rejected).to.have.length(1);
    const dated = await send(
      200,
      'id,amount,source_updated_at\nd4,1,2026-01-02T00:00:00Z\nd4,2,2026-01-03T00:00:00Z\nd4,3,2026-01-01T00:00:00Z\n',
    );
    expect(dated).to.include({ stale: 1 }).and.to.have.property('rejected').that.is.empty;
    expect(await amounts()).to.include({ d4: 2 });
  });

  describe('a dry run', () => {
    it('returns counts and the first 20 rows and writes nothing', async () => {
      await send(200, 'id,amount\nd1,5\nd2,5\n');
      const lines = Array.from({ length: 2500 }, (_, index) => `n${index},1,CRM-Ann`);
      const text = `id,amount,owner_id\nd1,7,\nd2,5,\nbad,x,\n${lines.join('\n')}\n`;
      const answer = await send(200, text, '?dryRun=true');
      expect(answer).to.include({ accepted: 2501, unchanged: 1, dryRun: true }).and.not.have.property('jobId');
      expect(answer.rejected.map(({ row }: { row: number }) => row)).to.deep.equal([3]);
      expect(answer.rows).to.have.length(20);
      const outcomes = answer.rows
        .slice(0, 4)
        .map((row: Record<string, unknown>) => [row['dealId'], row['outcome'], row['amount'], row['repId']]);
      expect(outcomes).to.deep.equal([
        ['d1', 'changed', 7, null],
        ['d2', 'unchanged', 5, null],
        ['bad', 'rejected', null, null],
        ['n0', 'created', 1, ann],
      ]);
      expect(await amounts()).to.deep.equal({ d1: 5, d2: 5 });
      const real = await send(200, text);
      expect(real).to.include({ accepted: 2501, unchanged: 1 });
      expect(real.jobId).to.be.a('string');
    });
  });
});
