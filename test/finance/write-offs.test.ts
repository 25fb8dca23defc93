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
});
