import { expect } from 'chai';
import fc from 'fast-check';
import { arbitraryRun, execute } from '#test/ledger/commands.js';
import { LiveWorld } from '#test/ledger/live-world.js';
import { Service } from '#test/support/service.js';

const numRuns = Number(process.env['MODEL_RUNS'] ?? 4);
/** The seed that a failure prints, to repeat it. */
const seed = process.env['MODEL_SEED'];

/** No absence of a random history begins on these days, so none is replaced. */
const absence = fc.record({
  rep: fc.nat({ max: 3 }),
  from: fc.constantFrom('2025-12-20', '2026-01-15', '2026-03-12', '2026-04-15', '2026-06-10'),
  days: fc.constantFrom(0, 10, 40),
  quotaRelief: fc.constantFrom(50, 100),
});

describe('an absence that is entered, shortened and deleted', () => {
  const service = Service.duringSuite();

  /** Every event with its trace and hash, reversed ones too, and what approved periods owe. */
  async function readState({ workspaceId }: LiveWorld) {
    await service.waitForCalculations(workspaceId);
    await service.waitForChecks(workspaceId);
    const events = await service.sql(
      `select rep_id, event_id, plan_id, plan_version_id, rule_name, phase, deal_key, amount, base, credit, tier_name,
        attainment_key, currency, period, earned_on, status, trace, idempotency_key
      from commission_events where workspace_id = $1 order by rep_id, event_id`,
      workspaceId,
    );
    const owed = await service.sql(
      `select rep_id, period, status, delta from discrepancies
      where workspace_id = $1 and status = 'open' and delta <> 0 order by rep_id, period`,
      workspaceId,
    );
    return { events, owed };
  }

  it(`leaves the rows of before, in open and in approved periods (${numRuns} random histories)`, async function () {
    this.timeout(60_000 + numRuns * 60_000);
    let entered = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryRun(), fc.array(absence, { minLength: 3, maxLength: 3 }), async (run, absences) => {
        const live = await LiveWorld.create(service, run.world);
        for (const command of run.commands) await execute(live, command);
        const before = await readState(live);
        for (const { rep, from, days, quotaRelief } of absences) {
          const to = new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10);
          if ((await live.enterAbsence(rep, { from, to, quotaRelief })) === 'rejected') continue;
          entered += 1;
          const which = live.absenceCount - 1;
          await live.waitForCalculations();
          await live.changeAbsence(which, { to: from });
          await live.waitForCalculations();
          await live.deleteAbsence(which);
          expect(await readState(live), `${from} to ${to}`).to.deep.equal(before);
        }
      }),
      { numRuns, endOnFailure: true, ...(seed === undefined ? {} : { seed: Number(seed) }) },
    );
    expect(entered, 'absences that were entered').to.be.greaterThan(numRuns / 2);
  });
});
