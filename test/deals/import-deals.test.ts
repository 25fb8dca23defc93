import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Failure } from '#src/kernel/failure.js';
import { newId } from '#src/kernel/ids.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { readPipeline } from '#test/support/sales-opportunities.js';
import { DealWorkspace, type ImportFile } from './deal-workspace.js';

describe('POST /v1/deals/import', () => {
  let workspace: DealWorkspace;
  let ann: string;

  beforeEach(async () => {
    workspace = await DealWorkspace.create();
    ann = await workspace.addRep('ann@x.com', 'Ann, A.');
  });

  const json = (value: unknown, query?: Record<string, string>) =>
    workspace.importFile({
      text: typeof value === 'string' ? value : JSON.stringify(value),
      type: 'application/json',
      ...(query ? { query } : {}),
    });
  const codeOf = async (file: ImportFile) => {
    const failure: unknown = await workspace.importFile(file).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Failure);
    expect(await workspace.db.sql('select from deals')).to.deep.equal([]);
    return (failure as Failure).code;
  };
  const stored = async (dealId: string) => (await workspace.list()).deals.find((deal) => deal.deal_id === dealId);

  it('accepts CSV with a byte order mark, quotes and empty cells, and creates one job for all deals', async () => {
    const text =
      '\ufeffid,name,amount,close_date,owner_id\r\nd1,"Big ""one"", really\nso",100.50,2026-02-01,"Ann, A."\r\nd2,Small,,2026-03-01,"Ann, A."\r\n\r\n';
    const answer = await workspace.importFile({ text });
    expect(answer).to.include({ accepted: 2, unchanged: 0, stale: 0 }).and.deep.include({ rejected: [] });
    expect(await stored('d1')).to.deep.include({
      name: 'Big "one", really\nso',
      amount: 100.5,
      closeDate: '2026-02-01',
      repId: ann,
      fields: { name: 'Big "one", really\nso', amount: '100.50', close_date: '2026-02-01', owner_id: 'Ann, A.' },
    });
    expect((await stored('d2'))?.fields).not.to.have.property('amount');
    expect(await workspace.dealRequests()).to.deep.equal([
      { rep_id: ann, from: '2026-02-01', to: '2026-03-01', trigger: 'import', deal_id: null, job_id: answer.jobId },
    ]);
    expect(workspace.db.woken).to.deep.equal([ann]);
    expect(await workspace.db.sql('select status, kind, total, deals from jobs')).to.deep.equal([
      { status: 'running', kind: 'import', total: 1, deals: 2 },
    ]);
    await workspace.calculateAll();
    expect(await workspace.db.sql('select status from jobs')).to.deep.equal([{ status: 'completed' }]);
    const again = await workspace.importFile({ text });
    expect(again).to.include({ accepted: 0, unchanged: 2 });
    expect(await workspace.db.sql('select from deal_versions')).to.have.length(2);
    expect(await workspace.db.sql("select from jobs where status = 'completed'")).to.have.length(2);
  });

  it('reads dates in the declared format', async () => {
    const text = 'id;when;close_date\nd1;13/2/2026;3/4/2026\nd2;x; 4/13/2026\nd3;2/30/2026;2026-01-05\nd4;;\n';
    const answer = await workspace.importFile({ text, query: { delimiter: ';', dateFormat: 'MDY' } });
    expect(answer.rejected).to.deep.equal([]);
    expect(await stored('d3')).to.deep.include({ closeDate: '2026-01-05' });
    expect(await stored('d1')).to.deep.include({
      closeDate: '2026-03-04',
      fields: { when: '13/2/2026', close_date: '2026-03-04' },
    });
    expect(await stored('d2')).to.deep.include({ closeDate: '2026-04-13' });
    await workspace.importFile({ text, query: { delimiter: ';', dateFormat: 'DMY' } });
    expect(await stored('d1')).to.deep.include({
      closeDate: '2026-04-03',
      fields: { when: '2026-02-13', close_date: '2026-04-03' },
    });
    expect(
      (await workspace.importFile({ text, query: { delimiter: ';' } })).rejected.map((one) => one.row),
    ).to.deep.equal([1, 2]);
  });

  it('reports invalid rows and imports valid ones', async () => {
    const lines = [
      'id\tamount\trepId\tsourceUpdatedAt',
      'd1\t1',
      `\t2\t${ann}\t`,
      `d3\tabc\t${ann}\t`,
      `d4\t4\t${newId()}\t`,
      'd5\t5\tnobody\t',
      `d6\t6\t${ann}\t2026-01-01`,
      `${'x'.repeat(201)}\t7\t\t`,
      `d8\t8\t${ann}\t2026-01-01T00:00:00Z`,
      `d9\t9\t${ann}\t${new Date(Date.now() + 25 * 3_600_000).toISOString()}`,
    ];
    const answer = await workspace.importFile({ text: lines.join('\n'), query: { delimiter: 'tab' } });
    expect(answer.accepted).to.equal(1);
    expect(answer.rejected.map((one) => one.row)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 9]);
    expect(answer.rejected.map((one) => one.reason.split(':')[0])).to.deep.equal([
      'has 2 columns where the header has 4',
      'id',
      'amount',
      'repId',
      'repId',
      'sourceUpdatedAt',
      'id',
      'sourceUpdatedAt',
    ]);
    expect(await stored('d8')).to.include({ repId: ann, amount: 8, sourceUpdatedAt: '2026-01-01T00:00:00.000Z' });
  });

  it('names the column of the file in the reason of a rejected row', async () => {
    const crm = await DealWorkspace.create({ fieldMapping: { standard: { dealAmount: 'close_value' }, measures: {} } });
    const lines = [
      'Opportunity ID;Close Value;Close-Date;Created Date;Rep ID;Source Updated At;Note',
      `${'x'.repeat(201)};;;;;;`,
      'd2;much;;;;;',
      'd3;1.234;;;;;',
      'd4;1e16;;;;;',
      'd5;;soon;;;;',
      'd6;;;soon;;;',
      'd7;;;;ann;;',
      `d8;;;;${newId()};;`,
      'd9;;;;;soon;',
      `d10;;;;;;${'x'.repeat(70_000)}`,
    ];
    const query = { delimiter: ';', idColumn: 'Opportunity ID' };
    const { rejected } = await crm.importFile({ text: lines.join('\n'), query });
    expect(rejected.map((one) => one.reason.split(':')[0])).to.deep.equal([
      'Opportunity ID',
      'Close Value',
      'Close Value',
      'Close Value',
      'Close-Date',
      'Created Date',
      'Rep ID',
      'Rep ID',
      'Source Updated At',
      'Note',
    ]);
    const deals = [
      { dealId: 'd1', fields: { close_value: 'much' } },
      { dealId: 'd2', fields: { close_date: 5 } },
      { dealId: 'd3', fields: { close_date: 'soon' } },
      { dealId: 'd4', closeDate: 'soon' },
      { dealId: 'd5', repId: newId() },
    ];
    const document = await crm.importFile({ text: JSON.stringify({ deals }), type: 'application/json' });
    expect(document.rejected.map((one) => one.reason.split(':')[0])).to.deep.equal([
      'close_value',
      'close_date',
      'close_date',
      'closeDate',
      'repId',
    ]);
  });

  it('reads the owner and the time of a change from either spelling of their columns', async () => {
    const text = `id,owner_email,source_updated_at\nd1,ANN@x.com,2026-01-01T00:00:00Z`;
    expect(await workspace.importFile({ text })).to.include({ accepted: 1 });
    expect(await stored('d1')).to.deep.include({ repId: ann, sourceUpdatedAt: '2026-01-01T00:00:00.000Z', fields: {} });
    await workspace.importFile({ text: `id,rep_id\nd2,${ann}` });
    expect(await stored('d2')).to.include({ repId: ann });
    const twice = await workspace.importFile({ text: 'id,rep_id,repId\nd3,,' }).catch((error: Error) => error);
    expect(String(twice)).to.include('is named twice');
    expect(await workspace.importFile({ text: 'rep_id,amount\nd4,5', query: { idColumn: 'rep_id' } })).to.include({
      accepted: 1,
    });
  });

  it('uses the newest of the rows of a deal by their times, and the last of equal ones, across batches', async () => {
    const deal = (name: string, day?: number) => ({
      dealId: 'd1',
      name,
      ...(day === undefined ? {} : { sourceUpdatedAt: `2026-01-0${day}T00:00:00Z` }),
    });
    const fillers = Array.from({ length: 4000 }, (_, index) => ({ dealId: `f${index}` }));
    for (const between of [[], fillers.slice(0, 2000), fillers]) {
      const answer = await json({
        deals: [deal('one', 1), deal('two', 2), ...between, deal('old', 1), deal('two', 3), deal('three', 3)],
      });
      expect(answer).to.include({ stale: 1 });
      expect(await stored('d1')).to.include({ name: 'three', sourceUpdatedAt: '2026-01-03T00:00:00.000Z' });
      const history = await workspace.db.sql<{ name: string }>(
        "select given->>'name' as name from deal_versions where deal_id = 'd1' order by snapshot_id",
      );
      expect(history.map((one) => one.name)).to.deep.equal(['one', 'two', 'three']);
      expect(answer).to.include({ accepted: 3 + between.length, unchanged: 1 });
      await workspace.db.sql('delete from deals');
      await workspace.db.sql('delete from deal_snapshots');
    }
  });

  it('accepts JSON deals like PUT, with the date format before or after the deals', async () => {
    const deals = [
      {
        dealId: 'd1',
        name: 'Ünï "q" ] } \\',
        amount: 12.5,
        closeDate: '1/31/2026',
        fields: { when: '2/1/2026', tags: ['a,b', ']'] },
        ownerEmail: 'ANN@x.com',
      },
      { dealId: 'd2', closeDate: '31/1/2026' },
      { dealId: 'd3', amonut: 1 },
      { name: 'no id' },
      5,
      null,
      ['d7'],
      { dealId: 'd8', repId: newId() },
      { dealId: 'd9', fields: { a: { b: 1 } } },
      { dealId: 'd10', fields: { amount: 'much' } },
    ];
    for (const body of [
      `{"dateFormat":"MDY","deals":${JSON.stringify(deals)}}`,
      ` { "deals" : ${JSON.stringify(deals, null, 2)} , "dateFormat":"MDY"} `,
    ]) {
      const answer = await json(body);
      expect(answer.accepted + answer.unchanged).to.equal(1);
      expect(answer.rejected.map((one) => one.row)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
    expect(await stored('d1')).to.deep.include({
      name: 'Ünï "q" ] } \\',
      closeDate: '2026-01-31',
      repId: ann,
      fields: { when: '2026-02-01', tags: ['a,b', ']'] },
    });
    const proto = await json(
      '{"deals":[{"dealId":"p","fields":{"__proto__":1}},{"dealId":"q","__proto__":{"name":"x"}}]}',
    );
    expect(proto.rejected).to.have.length(2);
    expect(await json({ deals: [] })).to.include({ accepted: 0 });
  });

  it('reads JSON the same in chunks of any size', async () => {
    const text = Buffer.from(
      JSON.stringify({
        deals: [
          { dealId: 'é1', name: 'a"\\"] }' },
          { dealId: 'é2', fields: { x: ['[', '{'] } },
        ],
        dateFormat: 'ISO',
      }),
    );
    const chunks = [...text].map((byte) => Buffer.from([byte]));
    const answer = await workspace.importFile({ text: Readable.from(chunks), type: 'application/json' });
    expect(answer).to.include({ accepted: 2 });
    expect(await stored('é1')).to.include({ name: 'a"\\"] }' });
  });

  it('rejects a malformed file and stores nothing of it', async () => {
    const good = Array.from({ length: 2500 }, (_, index) => `{"dealId":"d${index}"}`).join(',');
    for (const text of [
      `{"deals":[${good},]}`,
      `{"deals":[${good}`,
      `{"deals":[${good}]`,
      '{',
      '',
      `{"deals":[${good} {}]}`,
      '{"deals":[,{}]}',
      '{"deals":[{]}',
      `{"deals":[${good}]}]`,
    ]) {
      expect(await codeOf({ text, type: 'application/json' }), text.slice(-20)).to.equal('invalid_json');
    }
    for (const text of [
      '[]',
      '{}',
      '1',
      '{"deals":{}}',
      '{"deals":null}',
      '{"deals":[],"x":1}',
      '{"deals":[],"dateFormat":"YMD"}',
      `{"deals":[${good}],"deals":[]}`,
      `{"d":[${good}],"deals":[]}`,
    ]) {
      expect(await codeOf({ text, type: 'application/json' }), text.slice(-40)).to.equal('VALIDATION_FAILED');
    }
    const lines = Array.from({ length: 2500 }, (_, index) => `d${index},x`).join('\n');
    for (const text of [
      `id,name\n${lines}\nd,"open`,
      `id,name\n${lines}\nd,a "quote"`,
      'name\nx',
      '',
      'id,id\n1,2',
      'id,\n1,2',
      'id,__proto__\n1,2',
      `id,${Array.from({ length: 501 }, (_, index) => `f${index}`).join(',')}\n`,
    ]) {
      expect(await codeOf({ text }), text.slice(-20)).to.equal('VALIDATION_FAILED');
    }
    expect(await codeOf({ text: Buffer.from('id,name\nd1,M\xfcller', 'latin1') })).to.equal('VALIDATION_FAILED');
    expect(
      await codeOf({ text: '{"deals":[],"dateFormat":"MDY"}', type: 'application/json', query: { dateFormat: 'DMY' } }),
    ).to.equal('VALIDATION_FAILED');
    for (const query of [{ delimiter: 'x' }, { dateFormat: 'YMD' }, { idColumn: '' }, { other: '1' }]) {
      expect(await codeOf({ text: 'id\n1', query: query as never })).to.equal('VALIDATION_FAILED');
    }
  });

  it('rejects more than 100,000 rows and reports at most 1,000 invalid rows', async () => {
    expect(await codeOf({ text: `id\n${Array.from({ length: 100_001 }, (_, index) => index).join('\n')}` })).to.equal(
      'VALIDATION_FAILED',
    );
    const answer = await workspace.importFile({ text: `id,amount\n${'x,y\n'.repeat(3000)}` });
    expect(answer.rejected).to.have.length(1000);
    expect(answer.rejected.at(-1)?.row).to.equal(1000);
  });

  it('fails with the error that aborts the upload', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('id\nd1\n');
        throw new Failure('payload_too_large', 'too large');
      })(),
    );
    expect(await codeOf({ text: broken })).to.equal('payload_too_large');
  });

  for (const [rows, first] of [
    [300, 7],
    [5000, 2500],
  ] as const) {
    it(`compares with a deal that a concurrent request adds while ${rows} rows are being written`, async () => {
      const [newer, older] = [`d${first}`, `d${first + 1}`];
      const { ownerUrl } = workspace.db;
      const other = await openTransaction(
        ownerUrl,
        `insert into deals (workspace_id, deal_id, name, fields, content_hash, source_updated_at)
         values ($1, $2, 'newer', '{"name": "newer"}', gen_random_uuid(), '2026-02-01'), ($1, $3, 'older', '{"name": "older"}', gen_random_uuid(), '2025-12-01')`,
        workspace.workspaceId,
        newer,
        older,
      );
      const lines = Array.from({ length: rows }, (_, index) => `d${index},file,2026-01-01T00:00:00Z`).join('\n');
      const importing = workspace.importFile({ text: `id,name,sourceUpdatedAt\n${lines}` });
      await untilBlocked(ownerUrl);
      await other.commit();
      expect(await importing).to.include({ accepted: rows - 1, stale: 1 });
      expect(
        await workspace.db.sql(`select name from deals where deal_id in ('${newer}', '${older}') order by deal_id`),
      ).to.deep.equal([{ name: 'newer' }, { name: 'file' }]);
      expect(await workspace.db.sql("select fields ->> 'name' as name from deal_snapshots")).to.deep.equal([
        { name: 'older' },
      ]);
      expect((await workspace.list()).count).to.equal(rows);
    });
  }

  it('restores a deleted deal and requests a calculation of both owners of a moved deal', async () => {
    const bob = await workspace.addRep('bob@x.com', 'Bob');
    await workspace.importFile({ text: 'id,close_date,owner_id\nd1,2026-01-01,Bob\nd2,2026-01-02,Bob' });
    await workspace.remove('d2');
    await workspace.deleteRequests();
    await workspace.importFile({ text: 'id,close_date,owner_id\nd1,2026-02-01,"Ann, A."\nd2,2026-01-02,Bob' });
    expect((await workspace.dealRequests()).map((one) => [one.rep_id, one.from, one.to])).to.have.deep.members([
      [bob, '2026-01-01', '2026-01-02'],
      [ann, '2026-02-01', '2026-02-01'],
    ]);
    expect((await workspace.list()).count).to.equal(2);
  });

  it('accepts a public CRM export without changes', async () => {
    const text = await readPipeline();
    const mapping = {
      standard: { dealAmount: 'close_value', dealStage: 'deal_stage', closeDate: 'close_date', ownerId: 'sales_agent' },
      measures: {},
    };
    const crm = await DealWorkspace.create({ fieldMapping: mapping });
    const agents = new Set(
      text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1] as string),
    );
    for (const agent of agents) await crm.addRep(`${agent.toLowerCase().replaceAll(' ', '.')}@x.com`, agent);
    const answer = await crm.importFile({ text, query: { idColumn: 'opportunity_id', dateFormat: 'MDY' } });
    expect(answer).to.include({ accepted: 8800 }).and.deep.include({ rejected: [] });
    const [sums] = await crm.db.sql(
      'select count(*) filter (where is_won)::int as won, sum(amount)::int as total, count(rep_id)::int as owned from deals',
    );
    expect(sums).to.deep.equal({ won: 4238, total: 10_005_534, owned: 8800 });
  });
});
