import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('comments on statements', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  let path: string;
  before(async () => {
    workspace = await WorkedExample.create(service);
    path = `/v1/statements/${workspace.ben}/comments`;
  });

  it('adds comments and lists them, oldest first', async () => {
    const asBen = await workspace.as(workspace.ben);
    const asMia = await workspace.as(workspace.mia);
    const first = await asBen.expect(201, 'POST', path, {
      period: '2026-01',
      body: ' Is D1 right?\nI think not. ',
      dealId: 'D1',
    });
    expect(first).to.deep.include({
      repId: workspace.ben,
      period: '2026-01',
      dealId: 'D1',
      body: 'Is D1 right?\nI think not.',
      author: { repId: workspace.ben, name: 'Ben' },
    });
    const second = await asMia.expect(201, 'POST', path, { period: '2026-01', body: 'It is.' });
    const third = await workspace.api.expect(201, 'POST', path, { period: '2026-01', body: 'Noted.' });
    expect(third.author).to.deep.equal({ repId: null, name: 'API key' });
    expect(await asBen.expect(200, 'GET', `${path}?period=2026-01`)).to.deep.equal([first, second, third]);
    expect(await asBen.expect(200, 'GET', `${path}?period=2026-02`)).to.deep.equal([]);
    expect(await asBen.expect(200, 'GET', path)).to.deep.equal([]);
  });

  it('rejects invalid input', async () => {
    for (const body of [{ body: '  ' }, { body: 'x'.repeat(4001) }, { period: 'now' }, { text: 'x' }])
      await expectError(
        '400 VALIDATION_FAILED',
        workspace.api.post(path, { period: '2026-01', body: 'fine', ...body }),
      );
    await expectError('404 deal_not_found', workspace.api.post(path, { period: '2026-01', body: 'x', dealId: 'nope' }));
  });

  it('pages comments, and limits those of one person on one statement', async () => {
    const own = await WorkedExample.create(service, { deals: false });
    const path = `/v1/statements/${own.ben}/comments`;
    const asBen = await own.as(own.ben);
    const asMia = await own.as(own.mia);
    await own.sql(
      `insert into statement_comments (workspace_id, comment_id, rep_id, period, body, author_id, created_at)
       select $1, gen_random_uuid(), $2, '2026-01', n::text, $2, now() - interval '1 day' + n * interval '1 second'
       from generate_series(1, 199) n`,
      own.ben,
    );
    await asBen.expect(201, 'POST', path, { period: '2026-01', body: '200' });
    await expectError('409 too_many_comments', asBen.post(path, { period: '2026-01', body: '201' }));
    await asBen.expect(201, 'POST', path, { period: '2026-02', body: 'of another statement' });
    await asMia.expect(201, 'POST', path, { period: '2026-01', body: '201' });
    const bodies = async (page: string) =>
      (await asBen.expect(200, 'GET', `${path}?period=2026-01${page}`)).map(({ body }: { body: string }) => body);
    expect(await bodies('&limit=2')).to.deep.equal(['1', '2']);
    expect(await bodies('&limit=2&offset=200')).to.deep.equal(['201']);
    expect(await bodies('')).to.have.length(201);
    await expectError('400 VALIDATION_FAILED', asBen.get(`${path}?limit=501`));
    const dispute = { period: '2026-01', type: 'other', description: 'Too little' };
    const { disputeId } = await asBen.expect(201, 'POST', '/v1/disputes', dispute);
    const { comments } = await asBen.expect(200, 'GET', `/v1/disputes/${disputeId}`);
    expect([comments.length, comments[0].body, comments.at(-1).body]).to.deep.equal([200, '2', '201']);
  });

  it('deletes a comment once, and only below the statement that it is about', async () => {
    const { commentId } = await workspace.api.expect(201, 'POST', path, { period: '2026-03', body: 'x' });
    const elsewhere = `/v1/statements/${workspace.mia}/comments/${commentId}`;
    await expectError('404 comment_not_found', workspace.api.delete(elsewhere));
    await workspace.api.expect(200, 'DELETE', `${path}/${commentId}`);
    for (const unknown of [commentId, 'x'])
      await expectError('404 comment_not_found', workspace.api.delete(`${path}/${unknown}`));
  });
});
