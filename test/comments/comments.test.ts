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

  it('deletes a comment once, and only below the statement that it is about', async () => {
    const { commentId } = await workspace.api.expect(201, 'POST', path, { period: '2026-03', body: 'x' });
    const elsewhere = `/v1/statements/${workspace.mia}/comments/${commentId}`;
    await expectError('404 comment_not_found', workspace.api.delete(elsewhere));
    await workspace.api.expect(200, 'DELETE', `${path}/${commentId}`);
    for (const unknown of [commentId, 'x'])
      await expectError('404 comment_not_found', workspace.api.delete(`${path}/${unknown}`));
  });
});
