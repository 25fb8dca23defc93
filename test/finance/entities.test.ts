import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { EventReceiver } from '#test/support/event-receiver.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { Closings } from './closings.js';

describe('the companies of a workspace', () => {
  const service = Service.duringSuite();
  const account = { number: '1', name: 'One' };
  const clawback = { window: { from: 'close_date', days: 365 } };

  /** Ben belongs to the US, and from the day on to the UK. */
  async function moving(from: string, options: object = {}) {
    const closings = await Closings.open(service, options);
    const { books, work } = closings;
    for (const [code, name] of [
      ['us', 'Acme Inc.'],
      ['uk', 'Acme Ltd.'],
    ] as const)
      await books.entity({ name }, code);
    await belong(closings, [{ entity: 'us' }, { from, entity: 'uk' }]);
    return { closings, books, work };
  }

  const belong = ({ work }: Closings, entities: readonly object[]) =>
    work.api.expect(200, 'PUT', `/v1/reps/${work.ben}/entities`, { entities });
  const closing = async ({ books }: Closings, month: string, entity: string) =>
    (await books.liability(month, { query: `&entity=${entity}` })).closing;

  it('clear first where the person owes, and post it in their clearing accounts (N9)', async () => {
    const { closings, books, work } = await moving('2026-05-01');
    await work.deal('D1', 90_000, '2026-01-15');
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    const back = { period: '2026-04', amount: -7200, reason: 'Cancelled' };
    await work.api.expect(200, 'POST', `/v1/statements/${work.ben}/adjust`, back);
    await work.approve('2026-02', '2026-03', '2026-04');
    await work.deal('D2', 37_500, '2026-05-10');
    await work.deal('D3', 62_500, '2026-06-10');
    await work.approve('2026-05', '2026-06');
    expect(await work.payable('2026-05')).to.equal(0);
    expect(await work.payable('2026-06')).to.equal(800);
    expect([await closing(closings, '2026-06', 'us'), await closing(closings, '2026-06', 'uk')]).to.deep.equal([
      -7200, 8000,
    ]);
    await books.pay('2026-06', '2026-07-15');
    expect([await closing(closings, '2026-07', 'us'), await closing(closings, '2026-07', 'uk')]).to.deep.equal([0, 0]);
    const lines = (await books.journal('2026-07')).filter(({ account }) => account === 'payroll_clearing');
    expect(lines.map(({ entity, value }) => [entity, value])).to.have.deep.members([
      ['us', 7200],
      ['uk', -8000],
    ]);
  });

  it('are those of the row from which a refund takes back (N45)', async () => {
    const { closings, books, work } = await moving('2026-03-01', {
      rules: [flatRule('New business', 0.08, { clawback })],
    });
    await work.deal('D1', 60_000, '2026-01-15');
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    const refund = { day: '2026-03-10', cause: 'refund', amount: 30_000 };
    await work.api.expect(200, 'PUT', '/v1/deals/D1/refunds/R1', refund);
    await work.calculated();
    expect(await books.liability('2026-03', { query: '&entity=us' })).to.include({
      entity: 'us',
      takenBack: -2400,
      receivable: 2400,
    });
    expect(await closing(closings, '2026-03', 'uk')).to.equal(0);
  });

  it('take a row that moves to another one out, and a new lot in (N47)', async () => {
    const { closings, books, work } = await moving('2026-09-01');
    await closings.capitalise();
    await work.deal('D1', 45_000, '2026-09-10');
    await closings.close(...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((month) => `2026-0${month}`));
    await work.deal('D1', 45_000, '2026-07-10');
    const cost = async (entity: string) =>
      (await books.get(`/contract-costs?month=2026-10&entity=${entity}`)).contractCosts[0];
    expect(await cost('uk')).to.include({ opening: 3500, corrections: -3600, amortised: 100, closing: 0 });
    expect(await cost('us')).to.include({ opening: 0, corrections: 3600, amortised: -400, closing: 3200 });
    expect(await closing(closings, '2026-10', 'uk')).to.equal(0);
    expect(await closing(closings, '2026-10', 'us')).to.equal(3600);
  });

  it('have a roll-forward, a file and states each, and a closing of all with one hash', async () => {
    const { closings, books, work } = await moving('2026-02-01');
    await work.deal('D1', 60_000, '2026-01-15');
    await work.deal('D2', 12_500, '2026-02-15');
    await closings.close('2026-01', '2026-02');
    const { liability } = await books.get('/liability?month=2026-02');
    expect(liability.map((row: { entity: string; closing: number }) => [row.entity, row.closing])).to.deep.equal([
      ['uk', 1000],
      ['us', 4800],
    ]);
    for (const entity of ['us', 'uk'])
      await books.entity({ accounts: { commission_expense: account, accrued_commission: account } }, entity);
    const file = async (entity: string) =>
      (await work.api.get(`/v1/accounting/journals/2026-02/export?entity=${entity}`)).body.split('\r\n').slice(1, -1);
    expect(await file('us')).to.deep.equal([]);
    expect(await file('uk')).to.have.length(2);
    expect((await file('uk'))[0]).to.match(/^uk-2026-02-earned-v1,/);
  });

  it('keep books in their own currency, and post in closed months what they posted', async () => {
    const { closings, books, work } = await moving('2026-02-01');
    await books.entity({ name: 'Acme SA', currency: 'EUR' }, 'fr');
    await work.api.expect(200, 'PUT', '/v1/fx-rates', {
      rates: ['2026-01-01', '2026-02-20'].map((day) => ({ from: 'USD', to: 'EUR', day, rate: 0.9 })),
    });
    await work.deal('D1', 60_000, '2026-01-15');
    await closings.close('2026-01');
    const at = new Date().toISOString();
    await belong(closings, [{ entity: 'fr' }]);
    expect(await closing(closings, '2026-01', 'us')).to.equal(4800);
    expect(await books.liability('2026-02', { query: '&entity=us' })).to.include({ corrections: -4800, closing: 0 });
    const french = await books.liability('2026-02', { query: '&entity=fr' });
    expect(french).to.include({ corrections: 4800, closing: 4800, value: 4320 });
    expect((await books.get(`/liability?month=2026-02&entity=us&asOf=${at}`)).liability[0].closing).to.equal(4800);
  });

  it('are read from a file, and report what changes', async () => {
    const { closings, work } = await moving('2026-02-01');
    const receiver = await EventReceiver.start();
    try {
      const eventTypes = [
        'accounting.entity_changed',
        'accounting.rep_entities_changed',
        'accounting.estimates_changed',
      ] as const;
      await work.api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url, eventTypes });
      const file = 'email,company,from\nben@acme.test,us,2026-03-01\nmia@acme.test,uk,\nann@acme.test,fr,\n';
      const csv = { 'Content-Type': 'text/csv' };
      const { results } = await work.api.expect(200, 'POST', '/v1/accounting/rep-entities/import', file, csv);
      expect(results.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal([
        'created',
        'created',
        'rejected',
      ]);
      await closings.books.entity({ name: 'Acme plc' }, 'uk');
      await closings.ann.expect(200, 'PUT', '/v1/accounting/estimates/2026-03', { estimates: [] });
      await until(() => (receiver.received.length >= 4 ? true : undefined));
      const events = receiver.received.map(({ body: { type, data } }) => [type, data]);
      expect(events).to.have.deep.members([
        ['accounting.rep_entities_changed', { repId: work.ben }],
        ['accounting.rep_entities_changed', { repId: work.mia }],
        ['accounting.entity_changed', { entity: 'uk' }],
        ['accounting.estimates_changed', { month: '2026-03', count: 0 }],
      ]);
    } finally {
      await receiver.stop();
    }
    const { entities } = await work.api.expect(200, 'GET', `/v1/reps/${work.ben}/entities`);
    expect(entities).to.deep.equal([
      { entity: 'us' },
      { from: '2026-02-01', entity: 'uk' },
      { from: '2026-03-01', entity: 'us' },
    ]);
  });

  it('are paid by hand-overs in parts where payouts are off', async () => {
    const { closings, work } = await moving('2026-02-01', { payouts: null });
    await work.deal('D1', 60_000, '2026-01-15');
    await work.deal('D2', 30_000, '2026-02-15');
    await work.approve('2026-01', '2026-02');
    const { current } = await closings.books.get('');
    const owed = async () => [await closing(closings, current, 'us'), await closing(closings, current, 'uk')];
    await work.api.expect(201, 'POST', '/v1/payroll-handovers', { period: '2026-02', layout: 'generic' });
    expect(await owed()).to.deep.equal([4800, 0]);
    await work.api.expect(201, 'POST', '/v1/payroll-handovers', { period: '2026-01', layout: 'generic' });
    expect(await owed()).to.deep.equal([0, 0]);
  });

  it('exist, hold from one day on each, and keep their currency', async () => {
    const { books, work } = await moving('2026-02-01');
    const put = (entities: readonly object[]) => work.api.put(`/v1/reps/${work.ben}/entities`, { entities });
    await expectError('400 VALIDATION_FAILED', put([{ entity: 'fr' }]));
    await expectError('400 VALIDATION_FAILED', put([{ entity: 'uk' }, { entity: 'us' }]));
    await expectError('404 entity_not_found', work.api.get('/v1/accounting/liability?entity=fr'));
    const changed = { name: 'Acme', payrollTax: [], accounts: {}, currency: 'EUR' };
    await expectError('400 VALIDATION_FAILED', work.api.put('/v1/accounting/entities/us', changed));
    const { entities } = await work.api.expect(200, 'GET', `/v1/reps/${work.ben}/entities`);
    expect(entities).to.deep.equal([{ entity: 'us' }, { from: '2026-02-01', entity: 'uk' }]);
    expect((await books.get('')).entities.map(({ code }: { code: string }) => code)).to.deep.equal([
      'main',
      'uk',
      'us',
    ]);
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: false } });
    await expectError('409 accounting_off', put([]));
  });
});
