import { expect } from 'chai';
import { type Office, StatementFixture } from '#test/statements/statement-fixture.js';
import { duringSuite } from '#test/support/during-suite.js';
import { expectError } from '#test/support/errors.js';

describe('comments on statements', () => {
  const fixture = duringSuite(() => StatementFixture.create());
  let office: Office;
  let path: string;
  before(async () => {
    office = await fixture.office();
    path = `/v1/statements/${office.ben}/comments`;
  });

  it('adds comments and lists them, oldest first', async () => {
    const asBen = await office.as(office.ben);
    const asMia = await office.as(office.mia);
    const first = await asBen.expect(201, 'POST', path, {
      period: '2026-01',
      body: ' Is D1 right?\nI think not. ',
      dealId: 'D1',
    });
    expect(first).to.deep.include({
      repId: office.ben,
      period: '2026-01',
      dealId: 'D1',
      body: 'Is D1 right?\nI think not.',
      author: { repId: office.ben, name: 'Ben' },
    });
    const second = await asMia.expect(201, 'POST', path, { period: '2026-01', body: 'It is.' });
    const third = await office.api.expect(201, 'POST', path, { period: '2026-01', body: 'Noted.' });
    expect(third.author).to.deep.equal({ repId: null, name: 'API key' });
    expect(await asBen.expect(200, 'GET', `${path}?period=2026-01`)).to.deep.equal([first, second, third]);
    expect(await asBen.expect(200, 'GET', `${path}?period=2026-02`)).to.deep.equal([]);
    expect(await asBen.expect(200, 'GET', path)).to.deep.equal([]);
  });

  it('rejects invalid input', async () => {
    for (const body of [{ body: '  ' }, { body: 'x'.repeat(4001) }, { period: 'now' }, { text: 'x' }])
      await expectError('400 VALIDATION_FAILED', office.api.post(path, { period: '2026-01', body: 'fine', ...body }));
    await expectError('404 deal_not_found', office.api.post(path, { period: '2026-01', body: 'x', dealId: 'nope' }));
  });

  it('deletes a comment once, and only below the statement that it is about', async () => {
    const { commentId } = await office.api.expect(201, 'POST', path, { period: '2026-03', body: 'x' });
    const elsewhere = `/v1/statements/${office.mia}/comments/${commentId}`;
    await expectError('404 comment_not_found', office.api.delete(elsewhere));
    await office.api.expect(200, 'DELETE', `${path}/${commentId}`);
    for (const unknown of [commentId, 'x'])
      await expectError('404 comment_not_found', office.api.delete(`${path}/${unknown}`));
  });
});
