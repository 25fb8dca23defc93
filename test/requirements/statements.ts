import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readPdf } from './documents.js';
import { forbidden, invalid, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { describeAdjustments, describeApproval, describeComments, describeTrueUps } from './statement-changes.js';
import { currentMonth, expectError, unknownId, World } from './world.js';

const summary = { totalCommission: 16_500, totalBonuses: 0, totalAdjustments: 0, netPayout: 16_500 };
const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

/** Section 4 of the specification, statements. */
export function describeStatements(): void {
  describe('4: statements', () => {
    describe('generation, views and exports', () => {
      let world: World;

      before(async () => {
        ({ world } = await World.example());
      });

      describeGeneration(() => world);
      describeBatch(() => world);
      describeViews(() => world);
      describeExports(() => world);
    });
    describeAdjustments();
    describeApproval();
    describeTrueUps();
    describeComments();
  });
}

function describeGeneration(world: () => World): void {
  const path = (repId = world().ids.ben) => `/v1/statements/${repId}/generate`;
  let generated: Json;

  row(483, 'the status before the first generate is draft', async () => {
    const status = await world().get(`/v1/statements/${world().ids.ben}/status?period=2026-Q1`);
    expect(status).to.include({ repId: world().ids.ben, period: '2026-Q1', status: 'draft', generated: false });
  });

  row(484, 'POST generate returns the statement of the rep and period', async () => {
    generated = await world().admin.expect(200, 'POST', path(), { period: '2026-Q1' });
    expect(generated).to.include({ generated: true, period: '2026-Q1', repId: world().ids.ben, version: 1 });
    expect(generated.statementId).to.match(/^[0-9a-f-]{36}$/);
  });

  row(485, 'the summary has totalCommission, totalBonuses, totalAdjustments and netPayout', () => {
    expect(generated.summary).to.deep.equal(summary);
  });

  row(486, 'the draft of the worked example has 3 deals and a net payout of 16,500', () => {
    expect(generated).to.include({ status: 'draft', dealCount: 3 });
    expect(generated.summary.netPayout).to.equal(16_500);
    expect(generated.lineItems.map((line: Json) => [line.dealId, line.amount])).to.have.deep.members([
      ['D1', 4800],
      ['D2', 7200],
      ['D3', 4500],
    ]);
  });

  row(487, 'a manager may generate', async () => {
    const answer = await world().mgr.expect(200, 'POST', path(), { period: '2026-Q1' });
    expect(answer).to.include({ status: 'draft', version: 2, dealCount: 3 });
  });

  forbidden(488, 'generate by a rep is 403', () => world().ben.post(path(), { period: '2026-Q1' }));
  unauthorized(489, 'generate', () => world().anyone.post(path(), { period: '2026-Q1' }));

  rejects(490, 'generate for an unknown rep is 404', 404, 'rep_not_found', () =>
    world().admin.post(path(unknownId), { period: '2026-Q1' }),
  );
}

function describeBatch(world: () => World): void {
  const path = '/v1/statements/generate';
  let batch: Json;

  row(491, 'POST batch generate takes repIds', async () => {
    const repIds = [world().ids.ben, world().ids.cat];
    batch = await world().admin.expect(200, 'POST', path, { period: '2026-Q1', repIds });
    expect(batch).to.deep.include({
      period: '2026-Q1',
      generated: 2,
      skipped: 0,
      errors: 0,
      skippedReps: [],
      errorReps: [],
    });
  });

  row(492, 'the statements of a batch have repId, version, statementId and netPayout', () => {
    const payouts = Object.fromEntries(batch.statements.map((one: Json) => [one.repId, one.netPayout]));
    expect(payouts).to.deep.equal({ [world().ids.ben]: 16_500, [world().ids.cat]: 0 });
    for (const one of batch.statements) {
      expect(one.version).to.be.at.least(1);
      expect(one.statementId).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  row(493, 'a batch by a manager without repIds is for every active rep', async () => {
    const answer = await world().mgr.expect(200, 'POST', path, { period: '2026-Q1' });
    expect(answer.generated).to.equal(3);
    const repIds = answer.statements.map((one: Json) => one.repId);
    expect(repIds).to.have.members(Object.values(world().ids));
  });

  forbidden(494, 'a batch by a rep is 403', () => world().ben.post(path, { period: '2026-Q1' }));
  invalid(495, 'a batch without a period is 400', () => world().admin.post(path, {}), 'period');

  row(564, 'a batch leaves out inactive reps who have nothing in the period', async () => {
    await world().admin.expect(200, 'PATCH', `/v1/reps/${world().ids.cat}`, { active: false });
    const answer = await world().admin.expect(200, 'POST', path, { period: '2026-Q1' });
    const repIds = answer.statements.map((one: Json) => one.repId);
    expect(repIds).to.have.members([world().ids.ben, world().ids.mgr]);
    await world().admin.expect(200, 'PATCH', `/v1/reps/${world().ids.cat}`, { active: true });
  });
}

function describeViews(world: () => World): void {
  const ofBen = () => `/v1/statements?repId=${world().ids.ben}&period=2026-Q1`;

  row(496, 'GET without repId is the team view', async () => {
    const view = await world().get('/v1/statements?period=2026-Q1');
    expect(view.period).to.equal('2026-Q1');
    expect(view.totals).to.deep.equal(summary);
    const ben = view.statements.find((one: Json) => one.repId === world().ids.ben);
    expect(ben).to.deep.include({ name: 'Ben', email: world().email('ben'), status: 'draft', summary });
  });

  row(497, 'the period defaults to the current month', async () => {
    expect((await world().get('/v1/statements')).period).to.equal(currentMonth());
    const own = await world().get(`/v1/statements?repId=${world().ids.ben}`);
    expect(own.period).to.equal(currentMonth());
  });

  forbidden(498, 'the team view is 403 for a rep', () => world().ben.get('/v1/statements?period=2026-Q1'));

  row(499, 'a manager sees the team view', async () => {
    const view = await world().mgr.expect(200, 'GET', '/v1/statements?period=2026-Q1');
    expect(view.totals.netPayout).to.equal(16_500);
  });

  row(500, 'GET ?repId gives line items, totals and approval status', async () => {
    const statement = await world().get(ofBen());
    expect(statement).to.deep.include({ repId: world().ids.ben, status: 'draft', summary, dealCount: 3 });
    const first = statement.lineItems.find((line: Json) => line.dealId === 'D1');
    expect(first).to.include({ amount: 4800, closeDate: '2026-01-15', ruleName: 'Commission', tierName: 'Base' });
  });

  row(501, 'a rep sees the own statement', async () => {
    const statement = await world().ben.expect(200, 'GET', ofBen());
    expect(statement.summary.netPayout).to.equal(16_500);
  });

  row(502, "a rep's request for the statement of another rep is 403", async () => {
    const cat = service().client(await service().token(world().workspaceId, 'sess', world().ids.cat));
    await expectError('403 forbidden', cat.get(ofBen()));
  });

  row(503, 'GET status gives draft or approved', async () => {
    const status = await world().get(`/v1/statements/${world().ids.ben}/status?period=2026-Q1`);
    expect(status).to.include({ repId: world().ids.ben, period: '2026-Q1', status: 'draft' });
    expect(status.version).to.be.at.least(1);
  });
}

function describeExports(world: () => World): void {
  const path = (query = '') => `/v1/statements/${world().ids.ben}/export?period=2026-Q1${query}`;
  const team = '/v1/statements/export';

  row(504, 'the export of a statement is CSV by default', async () => {
    const rows = rowsOf((await world().admin.get(path())).body);
    const amounts = Object.fromEntries(rows.map((line) => [line['Deal ID'], line['Commission']]));
    expect(amounts).to.include({ D1: '4800.00', D2: '7200.00', D3: '4500.00' });
  });

  row(505, 'the CSV has the content type text/csv', async () => {
    const answer = await world().admin.get(path('&format=csv'));
    expect(answer.headers.get('content-type')).to.match(/^text\/csv/);
    expect(rowsOf(answer.body)).to.have.length(3);
  });

  row(506, 'format=json exports the statement as JSON', async () => {
    const statement = await world().get(path('&format=json'));
    expect(statement).to.deep.include({ repId: world().ids.ben, period: '2026-Q1', summary });
  });

  row(507, 'the JSON has the content type application/json and every line', async () => {
    const answer = await world().admin.get(path('&format=json'));
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    expect(answer.body.lineItems).to.have.length(3);
  });

  invalid(508, 'an unknown format is 400', () => world().admin.get(path('&format=docx')));

  row(514, 'a rep may export the own statement', async () => {
    expect(rowsOf((await world().ben.get(path())).body)).to.have.length(3);
  });

  row(509, 'export.csv has one row per rep with the columns of the specification', async () => {
    const answer = await world().admin.get(`${team}.csv?period=2026-Q1`);
    expect(answer.headers.get('content-type')).to.match(/^text\/csv/);
    const ben = rowsOf(answer.body).find((one) => one['Email'] === world().email('ben'));
    expect(ben).to.include({
      Name: 'Ben',
      Commissions: '16500.00',
      Bonuses: '0.00',
      Adjustments: '0.00',
      'Net Payout': '16500.00',
      'Statement Status': 'draft',
    });
  });

  row(510, 'a manager may export the team as CSV', async () => {
    const answer = await world().mgr.get(`${team}.csv?period=2026-Q1`);
    expect(answer.status).to.equal(200);
    expect(rowsOf(answer.body).map((one) => one['Name'])).to.include('Ben');
  });

  forbidden(511, 'export.csv is 403 for a rep', () => world().ben.get(`${team}.csv?period=2026-Q1`));

  row(512, 'export.pdf is the team roll-up with totals and a row per rep', async function () {
    const text = await readPdf(this, world().mgr, `${team}.pdf?period=2026-Q1`);
    if (text !== null) expect(text).to.contain('Ben').and.to.contain('16,500.00');
  });

  row(569, 'export.pdf without a period is that of the current month', async function () {
    const text = await readPdf(this, world().mgr, `${team}.pdf`);
    if (text !== null) expect(text).to.contain(currentMonth().slice(0, 4)).and.to.not.contain('16,500.00');
  });

  forbidden(513, 'export.pdf is 403 for a rep', () => world().ben.get(`${team}.pdf?period=2026-Q1`));
}
