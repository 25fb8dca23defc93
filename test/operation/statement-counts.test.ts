import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { duringSuite } from '#test/support/during-suite.js';
import { SentStatements, type Timer, timersOf } from '#test/support/sent-statements.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';

function expectAtMost(most: number, statements: readonly string[]): void {
  expect(statements.length, `sent:\n${statements.join('\n')}\n`).to.be.at.most(most);
}

/** The first transaction, and what follows it. */
function divide(statements: readonly string[]): { readonly transaction: string[]; readonly after: string[] } {
  const [begin, end] = [statements.findIndex((text) => text.startsWith('begin')), statements.indexOf('commit') + 1];
  return { transaction: statements.slice(begin, end), after: statements.slice(end) };
}

describe('the statements of a deal', () => {
  const service = duringSuite(async () => (await timersOf(() => Service.start({ worker: false }))).started);
  let sent: SentStatements;

  beforeEach(() => {
    sent = new SentStatements(service);
  });
  afterEach(() => sent.stop());

  const tiers = [0, 1].map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, rate: 0.1 + tierIndex / 20 }));
  const config = { rules: [{ name: 'Commission', measure: 'amount', tiers }] };

  async function sell(people: readonly { readonly name: string; readonly managerEmail?: string }[]) {
    const workspace = await service.workspace();
    const repIds = await workspace.api.saveReps(...people);
    await workspace.api.createPlan({ name: 'Sales', config }, repIds);
    await workspace.api.setQuota(repIds, 'Commission', '2026-Q1', 100_000);
    return { workspace, repId: repIds.at(-1) as string };
  }

  async function put(workspace: Workspace, dealId: string, deal: object): Promise<void> {
    const sending = () => workspace.api.putDeal(dealId, { closeDate: '2026-02-10', ...deal });
    const { transaction, after } = divide(await sent.during(sending));
    expectAtMost(6, transaction);
    // The wake-up of a worker through the queue.
    expectAtMost(1, after);
  }

  async function calculate({ workspaceId }: Workspace, repId: string): Promise<void> {
    const runner = service.running.service.parts.resolve(LaneRunner);
    const { transaction, after } = divide(await sent.during(() => runner.run(workspaceId, [repId])));
    expectAtMost(14, transaction);
    // Whether others have requested a calculation meanwhile.
    expectAtMost(3, after);
  }

  for (const [world, people] of [
    ['of one person', [{ name: 'Ann' }]],
    ['of a person with a manager', [{ name: 'Max' }, { name: 'Ann', managerEmail: 'max@x.io' }]],
  ] as const)
    it(`${world}: at most 6 to store it and 14 to calculate it`, async () => {
      const { workspace, repId } = await sell(people);
      const runner = service.running.service.parts.resolve(LaneRunner);
      // The first deal of a configuration also reads it, and the next one ends the freshness mark of that calculation.
      for (const amount of [1, 2]) {
        await workspace.api.putDeal('any', { amount, closeDate: '2026-03-31', repId });
        await runner.run(workspace.workspaceId, [repId]);
      }
      // The first day of the quarter: no earlier events are read as sums.
      for (const [dealId, closeDate] of [
        ['first', '2026-01-01'],
        ['d1', '2026-02-10'],
      ] as const)
        for (const amount of [100, 200]) {
          await put(workspace, dealId, { amount, closeDate, repId });
          await calculate(workspace, repId);
        }
      await workspace.expectSoundLedger();
    });
});

describe('the statements of an approval', () => {
  const service = Service.duringSuite({ isAlone: true });
  let sent: SentStatements;

  beforeEach(() => {
    sent = new SentStatements(service);
  });
  afterEach(() => sent.stop());

  it('read the steps of approval, and each table of what is payable, once', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    await work.api.generate(work.ben, '2026-02');
    await work.calculated();
    sent.clear();
    await work.api.approve(work.ben, '2026-02');
    const read = (pattern: RegExp) => sent.texts.filter((text) => pattern.test(text)).length;
    const parts = [
      /select "approval_steps" from/,
      /e\.plan_version_id as "planVersionId"/,
      /coalesce\(r\.recovery_percent/,
    ];
    expect(parts.map(read), sent.texts.join('\n')).to.deep.equal([1, 1, 1]);
  });
});

describe('the statements of a service without work', () => {
  let timers: Timer[];
  let service: Service;
  let sent: SentStatements;

  before(async () => {
    ({ started: service, timers } = await timersOf(() => Service.start()));
    sent = new SentStatements(service);
  });
  after(async () => {
    sent.stop();
    await service.stop();
  });

  /** A timer that runs at this moment sends nothing more; then it is tried again. */
  async function statementsOf({ run }: Timer, name: string): Promise<string[]> {
    for (let time = 0; time < 3; time += 1) {
      const statements = await sent.by(name, run);
      if (statements.length > 0) return statements;
    }
    return [];
  }

  it('are at most two a second, of all timers together', async () => {
    const perMinute = await Promise.all(
      timers.map(async (timer, index) => {
        const statements = await statementsOf(timer, `timer ${index}`);
        return { statements, count: (statements.length * 60_000) / timer.everyMs };
      }),
    );
    const listed = perMinute.flatMap(({ statements, count }) => statements.map((text) => `${count}: ${text}`));
    expect(listed).to.have.length.greaterThan(5);
    const total = perMinute.reduce((sum, { count }) => sum + count, 0);
    expect(total, `in a minute:\n${listed.join('\n')}\n`).to.be.at.most(2 * 60);
  });
});
