import { expect } from 'chai';
import { openTransaction } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { commissionPlan, D1, D2, D3, type Deal, TeamExample } from './team-example.js';

const april = '2026-04-20';

/** What the answer says about the kind of the deletion, and about what was deleted with a deal without facts. */
function deletion(hard: boolean): object {
  const removed = { creditLines: 0, lines: 0, refunds: 0, invoices: 0, payments: 0, corrections: 0 };
  return { softDeleted: !hard, hardDeleted: hard, ...(hard ? { removed } : {}) };
}

describe('corrections of the worked example', () => {
  const service = Service.duringSuite();
  let example: TeamExample;

  beforeEach(async () => {
    example = await TeamExample.create(service);
  });

  /** Another workspace that has only ever contained these deals. */
  async function cleanLedgerOf(...deals: readonly Deal[]): Promise<string[]> {
    const clean = await TeamExample.create(service);
    await clean.import(...deals);
    await clean.calculated();
    await clean.recalculate();
    return clean.ledger();
  }

  describe('of a deal', () => {
    beforeEach(async () => {
      await example.put(D1, D2, D3);
      expect(await example.earned()).to.deep.equal([
        ['D1', 4800, 60_000],
        ['D2', 7200, 60_000],
        ['D3', 4500, 30_000],
      ]);
      expect(await example.earned('max')).to.deep.equal([
        ['D1', 480, 60_000],
        ['D2', 720, 60_000],
        ['D3', 450, 30_000],
      ]);
    });

    it('a smaller amount moves the tiers of the deals after it', async () => {
      const corrected = { ...D1, amount: 20_000 };
      await example.put(corrected);
      expect(await example.earned()).to.deep.equal([
        ['D1', 1600, 20_000],
        ['D2', 4800, 60_000],
        ['D3', 3600, 30_000],
      ]);
      expect(await example.ledger()).to.deep.equal(await cleanLedgerOf(corrected, D2, D3));
    });

    it('another owner receives the deal and its credit', async () => {
      const moved: Deal = { ...D1, rep: 'bob' };
      await example.put(moved);
      expect(await example.earned()).to.deep.equal([
        ['D2', 4800, 60_000],
        ['D3', 2400, 30_000],
      ]);
      expect(await example.earned('bob')).to.deep.equal([['D1', 4800, 60_000]]);
      expect(await example.ledger()).to.deep.equal(await cleanLedgerOf(moved, D2, D3));
    });

    it('another quarter receives the deal and its credit', async () => {
      const moved = { ...D1, closeDate: april };
      await example.put(moved);
      expect(await example.earned()).to.deep.equal([
        ['D2', 4800, 60_000],
        ['D3', 2400, 30_000],
        ['D1', 4800, 60_000],
      ]);
      expect(await example.ledger()).to.deep.equal(await cleanLedgerOf(moved, D2, D3));
    });

    it('another owner and another quarter, in two calculations of the manager', async () => {
      const moved: Deal = { ...D1, rep: 'bob', closeDate: april };
      // Ann's lane is busy, so Max is calculated for the new quarter through Bob before anything is requested for
      // the old one.
      const lane = 'select from lanes where rep_id = $1 for update';
      const busy = await openTransaction(service.database.ownerUrl, lane, example.repIds.ann);
      await example.put(moved);
      const quarterOfMax = async () => {
        const [row] = await service.sql<{ day: string }>(
          `select earned_on as day from commission_events where workspace_id = $1 and rep_id = $2 and deal_key = 'D1'`,
          example.workspaceId,
          example.repIds.max,
        );
        return row?.day;
      };
      await example.drain(['bob', 'max'].map((name) => example.repIds[name as 'bob' | 'max']));
      await until(async () => (await quarterOfMax()) === april);
      await busy.rollback();
      expect(await example.ledger()).to.deep.equal(await cleanLedgerOf(moved, D2, D3));
    });

    for (const [how, change] of [
      ['its stage', { stage: 'Open' }],
      ['its close date', { closeDate: null }],
    ] as const) {
      it(`reopened by ${how} it earns nothing, and everything again when it is won again`, async () => {
        const before = await example.ledger();
        await example.put({ ...D1, ...change });
        expect(await example.earned()).to.deep.equal([
          ['D2', 4800, 60_000],
          ['D3', 2400, 30_000],
        ]);
        expect(await example.ledger()).to.deep.equal(await cleanLedgerOf({ ...D1, ...change }, D2, D3));
        await example.put(D1);
        expect(await example.ledger()).to.deep.equal(before);
      });
    }

    for (const hard of [false, true]) {
      it(`deleted${hard ? ' permanently' : ''} it earns nothing, and everything again when it comes back`, async () => {
        const before = await example.ledger();
        const answer = await example.api.expect(200, 'DELETE', `/v1/deals/D1?hard=${hard}`);
        expect(answer).to.deep.equal({ reversed: 2, statementLocked: false, ...deletion(hard) });
        expect(await example.ledger()).to.deep.equal(await cleanLedgerOf(D2, D3));
        await example.put(D1);
        expect(await example.ledger()).to.deep.equal(before);
      });
    }
  });

  describe('of the order', () => {
    const late: Deal = { ...D3, dealId: 'D4', closeDate: april, rep: 'bob' };
    const deals = [D1, D2, D3, late];
    const ways: Record<string, () => Promise<void>> = {
      'in reverse': () => example.put(...deals.toReversed()),
      shuffled: () => example.put(D2, late, D1, D3),
      'each calculated before the next comes': async () => {
        for (const deal of [D3, D1, late, D2]) {
          await example.put(deal);
          await example.calculated();
        }
      },
      'all at once': async () => {
        await Promise.all(deals.map((deal) => example.put(deal)));
      },
      'twice each': () => example.put(D1, D1, D3, D2, D3, late, D2, late),
      'by import': () => example.import(D3, D2, late, D1),
      'by two imports at once, after half of them': async () => {
        await example.put(D2, D3);
        await Promise.all([example.import(...deals), example.import(...deals.toReversed())]);
      },
    };

    for (const [way, send] of Object.entries(ways)) {
      it(`${way} the deals give the same rows`, async () => {
        await send();
        const ledger = await example.ledger();
        expect(ledger).to.deep.equal(await cleanLedgerOf(...deals));
        expect(await example.recalculate()).to.include({ eventsWritten: 0, eventsReversed: 0 });
        expect(await example.ledger()).to.deep.equal(ledger);
      });
    }
  });

  describe('of the terms', () => {
    beforeEach(() => example.put(D1, D2, D3));

    it('a version that starts within the quarter continues the attainment and pays no deal twice', async () => {
      const change = { config: commissionPlan(0.1, 0.2, 0.3), effectiveStart: '2026-02-01' };
      const version = await example.api.expect(200, 'PATCH', `/v1/plans/${example.planId}`, change);
      expect(version).to.include({ version: 2, planId: example.planId });
      expect(await example.earned()).to.deep.equal([
        ['D1', 4800, 60_000],
        ['D2', 12_000, 60_000],
        ['D3', 9000, 30_000],
      ]);
      expect(await example.earned('max')).to.deep.equal([
        ['D1', 480, 60_000],
        ['D2', 1200, 60_000],
        ['D3', 900, 30_000],
      ]);
      const quotas = await example.api.expect(200, 'GET', `/v1/quotas?repId=${example.repIds.ann}&period=2026-Q1`);
      expect(quotas.map((quota: { current_value: number }) => quota.current_value)).to.deep.equal([150_000]);
      expect(await example.recalculate()).to.include({ eventsWritten: 0, eventsReversed: 0 });
    });
  });

  it('a recalculation writes the same whatever the physical order of the rows', async () => {
    const { api, repIds } = example;
    const second = { name: 'Second', config: commissionPlan(0.01, 0.02, 0.03) };
    await api.createPlan(second, [repIds.ann]);
    const deals = Array.from(
      { length: 20 },
      (_, index): Deal => ({ ...D1, dealId: `M${index}`, amount: 1000 + index }),
    );
    await example.import(...deals);
    await example.calculated();
    // Both plans have a rule of one name, and the manager's cascade names what fed it.
    await service.sql('cluster commission_events using commission_events_pkey');
    expect(await example.recalculate()).to.include({ eventsWritten: 0, eventsReversed: 0 });
  });

  describe('of an approved period', () => {
    let january: object[];
    const unchanged = [
      ['D1', 4800, 60_000],
      ['D2', 7200, 60_000],
      ['D3', 4500, 30_000],
    ];

    beforeEach(async () => {
      await example.put(D1, D2, D3);
      await example.approveJanuaryOfAnn();
      january = await example.januaryOfAnn();
    });

    async function expectHeld(dealId = 'D1'): Promise<void> {
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      const { runs } = await example.api.expect(200, 'GET', `/v1/workspaces/audit-logs?dealId=${dealId}`);
      const held = runs.find((run: { outcome: string }) => run.outcome === 'statement_locked');
      expect(held, 'a run that was held back').to.include({ repId: example.repIds.ann });
      expect(held.counters.statementLocked).to.equal(true);
      expect(held.blocked).to.deep.include({ statementLocked: true, periods: ['2026-01'] });
      const answer = await example.recalculate();
      expect(answer).to.include({
        statementLocked: true,
        eventsWritten: 0,
        eventsReversed: 0,
        reason: 'statement_locked',
      });
      const blocked = { statementLocked: true, periods: ['2026-01'], count: 1 };
      expect(answer.blocked).to.deep.equal(blocked);
      const job = await example.api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${answer.jobId}`);
      expect(job.result).to.deep.include({ statementLocked: true, blocked });
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      await example.ledger();
    }

    it('a recalculation that changes nothing reports no blocked change', async () => {
      const answer = await example.recalculate();
      expect(answer).to.include({ statementLocked: false, eventsWritten: 0, eventsReversed: 0 });
      expect(answer).not.to.have.property('blocked');
      const job = await example.api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${answer.jobId}`);
      expect(job.result.statementLocked).to.equal(false);
      expect(job.result).not.to.have.property('blocked');
    });

    it('keeps the event of a corrected deal, and later deals use its recorded credit', async () => {
      await example.put({ ...D1, amount: 20_000 });
      expect(await example.earned()).to.deep.equal(unchanged);
      await expectHeld();
    });

    it('keeps the event of a deal that moved to another quarter, which earns nothing there', async () => {
      await example.put({ ...D1, closeDate: april });
      expect(await example.earned()).to.deep.equal(unchanged);
      await expectHeld();
    });

    it('keeps the event of a deal that moved to another rep, who earns on it', async () => {
      await example.put({ ...D1, rep: 'bob' });
      expect(await example.earned()).to.deep.equal(unchanged);
      expect(await example.earned('bob')).to.deep.equal([['D1', 4800, 60_000]]);
      await expectHeld();
    });

    it('keeps the event of a reopened deal', async () => {
      await example.put({ ...D1, stage: 'Open' });
      expect(await example.earned()).to.deep.equal(unchanged);
      await expectHeld();
    });

    it('pays no new deal', async () => {
      await example.put({ ...D1, dealId: 'D0' });
      expect(await example.earned()).to.deep.equal(unchanged);
      await expectHeld('D0');
    });

    for (const hard of [false, true]) {
      it(`holds a deal deleted${hard ? ' permanently' : ''}`, async () => {
        const answer = await example.api.expect(200, 'DELETE', `/v1/deals/D1?hard=${hard}`);
        expect(answer).to.deep.equal({ reversed: 1, statementLocked: true, ...deletion(hard) });
        expect(await example.earned()).to.deep.equal(unchanged);
        await expectHeld();
      });
    }

    it('is not changed by a reset, after which the other events are restored', async () => {
      const before = await example.ledger();
      const answer = await example.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
      expect(answer).to.deep.include({ events: 5, skippedLocked: 1 });
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      expect(await example.earned()).to.deep.equal([['D1', 4800, 60_000]]);
      expect(await example.recalculate()).to.include({ eventsWritten: 5, statementLocked: false });
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      expect(await example.ledger()).to.deep.equal(before);
    });

    it('is not changed by a reset of the whole workspace', async () => {
      await example.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'all' });
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      expect(await example.recalculate()).to.include({ eventsWritten: 0, eventsReversed: 0 });
      expect(await example.januaryOfAnn()).to.deep.equal(january);
    });

    it('is not changed by the deletion of its plan and a cleanup', async () => {
      for (const assignmentId of example.assignmentIds)
        await example.api.expect(200, 'DELETE', `/v1/assignments/${assignmentId}`);
      await example.api.expect(200, 'DELETE', `/v1/plans/${example.planId}`);
      await example.calculated();
      const answer = await example.api.expect(200, 'POST', '/v1/commissions/cleanup');
      expect(answer).to.deep.equal({ deleted: 2, skippedLocked: 1 });
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      await example.recalculate();
      expect(await example.januaryOfAnn()).to.deep.equal(january);
      await example.ledger();
    });
  });
});
