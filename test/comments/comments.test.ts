import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { type Office, StatementFixture } from '#test/statements/statement-fixture.js';
import { duringSuite } from '#test/support/during-suite.js';

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
    for (const body of [
      { body: '' },
      { body: '  ' },
      { body: 'x'.repeat(4001) },
      { body: 'a', period: 'now' },
      { period: undefined },
      { text: 'x' },
    ]) {
      const answer = await office.api.post(path, { period: '2026-01', body: 'fine', ...body });
      expect([answer.status, answer.body.code], JSON.stringify(body).slice(0, 80)).to.deep.equal([
        400,
        'VALIDATION_FAILED',
      ]);
    }
    const deal = await office.api.post(path, { period: '2026-01', body: 'x', dealId: 'nope' });
    expect([deal.status, deal.body.code]).to.deep.equal([404, 'deal_not_found']);
  });

  it('lets only the author or a manager delete a comment', async () => {
    const asBen = await office.as(office.ben);
    const asMia = await office.as(office.mia);
    const add = (client: typeof asBen) => client.expect(201, 'POST', path, { period: '2026-03', body: 'x' });
    const [bens, mias, other] = [await add(asBen), await add(asMia), await add(asBen)];
    expect(await asBen.expect(200, 'DELETE', `${path}/${bens.commentId}`)).to.deep.equal({ deleted: true });
    expect(await asMia.expect(200, 'DELETE', `${path}/${other.commentId}`)).to.deep.equal({ deleted: true });
    for (const unknown of [bens.commentId, newId(), 'x']) {
      const answer = await asBen.delete(`${path}/${unknown}`);
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'comment_not_found']);
    }
    const elsewhere = await office.api.delete(`/v1/statements/${office.mia}/comments/${mias.commentId}`);
    expect(elsewhere.body.code).to.equal('comment_not_found');
    expect(await office.api.expect(200, 'GET', `${path}?period=2026-03`)).to.have.length(1);
  });
});
