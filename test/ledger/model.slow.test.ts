import { config, expect } from 'chai';
import fc from 'fast-check';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import type { LedgerRow } from '#test/support/oracle/world.js';
import { Service } from '#test/support/service.js';
import { arbitraryRun, execute } from './commands.js';
import { LiveWorld } from './live-world.js';

const numRuns = Number(process.env['MODEL_RUNS'] ?? 4);
/** The seed and the path that a failure prints, to repeat it. */
const { MODEL_SEED: seed, MODEL_PATH: path } = process.env;
/** Searches a smaller failing history, which takes minutes. */
const shrinks = process.env['MODEL_SHRINK'] !== undefined;

// fast-check reports the message of an error, and not the difference that Mocha would show.
config.truncateThreshold = 0;

/** Compares only the rows that differ. */
function expectSameRows(found: readonly LedgerRow[], clean: readonly LedgerRow[]): void {
  // Events record in their traces what a cap cut off.
  const expected = clean.map(({ cutOff: _, ...row }) => row);
  const texts = (rows: readonly LedgerRow[]) => new Set(rows.map((row) => JSON.stringify(row)));
  const [service, oracle] = [texts(found), texts(expected)];
  expect({
    onlyInService: [...service].filter((row) => !oracle.has(row)),
    onlyInOracle: [...oracle].filter((row) => !service.has(row)),
  }).to.deep.equal({ onlyInService: [], onlyInOracle: [] });
}

describe('the ledger of the running service compared with a full calculation of the oracle', () => {
  const service = Service.duringSuite({ isAlone: true });

  for (const maxDealsOfLane of [undefined, 2])
    it(`has the same rows after ${numRuns} random histories${maxDealsOfLane === undefined ? '' : ', with lanes divided after two deals'}`, async function () {
      this.timeout(60_000 + numRuns * 60_000);
      Object.assign(service.running.service.parts.resolve(LaneRunner), { maxDealsOfLane });
      await fc.assert(
        fc.asyncProperty(arbitraryRun(), async ({ world, commands }) => {
          const live = await LiveWorld.create(service, world);
          for (const command of commands) {
            await execute(live, command);
            await live.expectCurrentAnswers();
          }
          await live.waitForCalculations();
          await live.expectCurrentAnswers();
          expectSameRows(await live.ledgerRows(), live.cleanRows());
          await live.expectQuotaCounters();
          await live.expectEffectiveTargets();
          await service.expectSoundLedger(live.workspaceId);
          const history = await live.historyLength();
          expect(await live.recalculateAll(), 'what a recalculation writes').to.deep.equal([]);
          expect(await live.historyLength(), 'history rows').to.equal(history);
        }),
        {
          numRuns,
          endOnFailure: !shrinks,
          interruptAfterTimeLimit: 30_000 + numRuns * 60_000,
          markInterruptAsFailure: true,
          ...(seed === undefined ? {} : { seed: Number(seed) }),
          ...(path === undefined ? {} : { path }),
        },
      );
    });
});
