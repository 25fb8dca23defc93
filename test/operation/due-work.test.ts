import { expect } from 'chai';
import { SentStatements } from '#test/support/sent-statements.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

describe('a service without work', () => {
  const service = Service.duringSuite({ isAlone: true });
  let sent: SentStatements;

  beforeEach(() => {
    sent = new SentStatements(service);
  });
  afterEach(() => sent.stop());

  it('looks for due work of all kinds in one statement', async () => {
    const workspace = await service.workspace();
    await workspace.calculated();
    const isLook = (text: string) => text.includes('exists (') && text.includes('due_stored_jobs');
    const looks = () => sent.texts.filter(isLook).length;
    // The new workspace causes work, such as the sealing of the audit log.
    await until(() => looks() >= 3);
    sent.clear();
    await until(() => looks() >= 3);
    const perKind = /due_|seal_|record_repeated|running_jobs/;
    expect(sent.texts.filter((text) => perKind.test(text) && !isLook(text))).to.deep.equal([]);
  });
});
