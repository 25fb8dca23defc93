import { expect } from 'chai';
import pg from 'pg';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

/** Records the statements that this process sends, also those of the queue. */
class SentStatements {
  readonly texts: string[] = [];
  private readonly original = pg.Client.prototype.query;

  constructor() {
    const { texts, original } = this;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [query] = args as [string | { readonly text?: string }];
      texts.push((typeof query === 'string' ? query : query.text) ?? '');
      return Reflect.apply(original, this, args);
    } as typeof original;
  }

  stop(): void {
    pg.Client.prototype.query = this.original;
  }
}

describe('a service without work', () => {
  const service = Service.duringSuite({ isAlone: true });
  let sent: SentStatements;

  beforeEach(() => {
    sent = new SentStatements();
  });
  afterEach(() => sent.stop());

  it('looks for due work of all kinds in one statement', async () => {
    const workspace = await service.workspace();
    await workspace.calculated();
    const isLook = (text: string) => text.includes('exists (') && text.includes('due_stored_jobs');
    const looks = () => sent.texts.filter(isLook).length;
    // The new workspace causes work, such as the sealing of the audit log.
    await until(() => looks() >= 3);
    sent.texts.length = 0;
    await until(() => looks() >= 3);
    const perKind = /due_|seal_|record_repeated|running_jobs/;
    expect(sent.texts.filter((text) => perKind.test(text) && !isLook(text))).to.deep.equal([]);
  });
});
