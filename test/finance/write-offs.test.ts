import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { Closings } from './closings.js';

describe('what the company no longer expects of a person', () => {
  const service = Service.duringSuite();

  /** L4: 7,200 were paid to Ben and taken back from him after he had left. */
  async function indebted() {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    await work.deal('D1', 90_000, '2026-01-15');
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    const clawback = { period: '2026-04', amount: -7200, reason: 'Cancelled' };
    await work.api.expect(200, 'POST', `/v1/statements/${work.ben}/adjust`, clawback);
    const terms = { repId: work.ben, currency: 'USD', amount: 7200, day: '2026-05-20', reason: 'Left' };
    return { ...closings, closings, books, work, terms };
  }

  const propose = async (by: ApiClient, terms: object): Promise<string> =>
    (await by.expect(201, 'POST', '/v1/accounting/write-offs', terms)).writeOffId;
  const approve = (by: ApiClient, writeOffId: string) => by.post(`/v1/accounting/write-offs/${writeOffId}/approve`);

  it('is expense in the month in which it is written off, and no receivable any more (L4)', async () => {
    const { closings, books, terms } = await indebted();
    expect(await books.liability('2026-04')).to.include({ receivable: 7200, closing: -7200 });
    const writeOffId = await propose(closings.ann, terms);
    expect(await books.liability('2026-05')).to.include({ receivable: 7200, writtenOff: 0 });
    const { body } = await approve(closings.ned, writeOffId);
    expect(body).to.include({ status: 'approved', repName: 'Ben', amount: 7200 });
    expect(await books.liability('2026-04')).to.include({ receivable: 7200 });
    expect(await books.liability('2026-05')).to.include({ writtenOff: 7200, receivable: 0, closing: 0 });
    expect(await books.moved('2026-05', 'write_off_expense')).to.equal(7200);
    expect(await books.moved('2026-05', 'commission_receivable')).to.equal(-7200);
    expect((await books.get('/write-offs')).writeOffs).to.deep.equal([body]);
  });

  it('is at most what the person owes, so later earnings take it back (N8)', async () => {
    const { closings, books, work, terms } = await indebted();
    await approve(closings.ned, await propose(closings.ann, { ...terms, amount: 9000 }));
    await closings.close('2026-01', '2026-02', '2026-03', '2026-04', '2026-05');
    await work.deal('D2', 12_500, '2026-09-10');
    expect(await books.liability('2026-09')).to.include({ earned: 1000, writtenOff: -1000, closing: 0 });
    expect(await books.moved('2026-09', 'write_off_expense')).to.equal(-1000);
    expect(await books.balance(['2026-05', '2026-09'], 'write_off_expense')).to.equal(6200);
  });

  it('is decided by two people, of whom none owes it', async () => {
    const { ann, ned, books, terms } = await indebted();
    const writeOffId = await propose(ann, terms);
    await expectError('403 own_proposal', approve(ann, writeOffId));
    await expectError('403 forbidden', approve(books.work.api, writeOffId));
    const { reps } = await books.work.api.expect(200, 'GET', '/v1/reps');
    const repId = reps.find(({ name }: { name: string }) => name === 'Ned')?.id;
    await expectError('403 own_debt', ned.post('/v1/accounting/write-offs', { ...terms, repId }));
    await expectError('403 own_debt', approve(ned, await propose(ann, { ...terms, repId })));
  });

  it('is entered in months that are open, once, with the digits of its currency', async () => {
    const { closings, ann, ned, terms } = await indebted();
    const writeOffId = await propose(ann, { ...terms, day: '2026-01-31' });
    await closings.close('2026-01');
    await expectError('409 month_closed', approve(ned, writeOffId));
    const send = (changed: object) => ann.post('/v1/accounting/write-offs', { ...terms, ...changed });
    await expectError('409 month_closed', send({ day: '2026-01-20' }));
    await expectError('400 VALIDATION_FAILED', send({ amount: 1.005 }));
    await expectError('400 VALIDATION_FAILED', send({ amount: 0 }));
    await ann.expect(200, 'DELETE', `/v1/accounting/write-offs/${writeOffId}`);
    await expectError('409 invalid_transition', approve(ned, writeOffId));
  });

  describe('from a file', () => {
    const header = 'email,entity,currency,amount,day,reason\n';
    const send = (by: ApiClient, rows: string) =>
      by.expect(200, 'POST', '/v1/accounting/write-offs/import', `${header}${rows}`, { 'Content-Type': 'text/csv' });
    const outcomes = async (by: ApiClient, rows: string) =>
      (await send(by, rows)).results.map(({ outcome, code }: Record<string, unknown>) => code ?? outcome);

    it('is proposed row by row, and rejected where a person could not propose it', async () => {
      const { closings, ann, ned, books, work } = await indebted();
      await closings.close('2026-01');
      const rows = [
        `ben@acme.test,,USD,"7,000.00",2026-05-20,Left`,
        `ann@acme.test,,USD,10,2026-05-20,Mine`,
        `ben@acme.test,none,USD,10,2026-05-20,Left`,
        `ben@acme.test,,USD,10,2026-01-20,Left`,
        `ben@acme.test,,USD,0,2026-05-21,Left`,
        `ben@acme.test,,,10,2026-05-21,Left`,
        `who@acme.test,,USD,10,2026-05-21,Left`,
      ];
      expect(await outcomes(ann, rows.join('\n'))).to.deep.equal([
        ...['created', 'own_debt', 'entity_not_found', 'month_closed', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
        'rep_not_found',
      ]);
      const { writeOffs } = await books.get('/write-offs');
      expect(writeOffs).to.have.length(1);
      expect(writeOffs[0]).to.include({ repId: work.ben, entity: 'main', amount: 7000, status: 'proposed' });
      const { writeOffId } = writeOffs[0];
      await expectError('403 own_proposal', approve(ann, writeOffId));
      expect((await approve(ned, writeOffId)).body.status).to.equal('approved');
    });

    it('replaces a proposal, and stays as it is once it is approved', async () => {
      const { ann, ned, books, terms } = await indebted();
      const row = (amount: number) => `ben@acme.test,main,USD,${amount},2026-05-20,Left\n`;
      expect(await outcomes(ann, row(7000))).to.deep.equal(['created']);
      expect(await outcomes(ned, row(7200))).to.deep.equal(['changed']);
      const { imports } = await books.work.api.expect(200, 'GET', '/v1/imports?limit=1');
      const { writeOffs } = await books.get('/write-offs');
      const known = writeOffs.map(({ amount, status }: Record<string, unknown>) => [amount, status]);
      expect(known).to.have.deep.members([
        [7000, 'withdrawn'],
        [7200, 'proposed'],
      ]);
      const { writeOffId } = writeOffs.find(({ status }: Record<string, unknown>) => status === 'proposed');
      await expectError('403 own_proposal', approve(ned, writeOffId));
      await approve(ann, writeOffId);
      await propose(ann, { ...terms, amount: 5 });
      expect(await outcomes(ann, row(7200))).to.deep.equal(['unchanged']);
      expect(await outcomes(ann, row(7100))).to.deep.equal(['invalid_transition']);
      const address = `/v1/imports/${imports[0].importId}/take-back`;
      const { restored, rejected } = await books.work.api.expect(200, 'POST', address, {});
      expect([restored, rejected[0].code]).to.deep.equal([0, 'invalid_transition']);
      expect(await books.liability('2026-05')).to.include({ writtenOff: 7200 });
    });
  });
});
