import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { ImportPace } from '../../deals/import/import-pace.js';
import { listDealsChangedSince, restoreDeals } from '../../deals/import/restore-deals.js';
import { type Caller } from '../../kernel/caller.js';
import { type DayRange } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { daysByRep, type Facts, type FactWriter } from '../../platform/files/facts.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { insufficientScope } from '../../platform/operations/operation-scope.js';
import { flag } from '../../platform/operations/schemas.js';
import {
  commissionEffect,
  computeMovement,
  loadAffectedWithin,
  maxForecastDeals,
  toCommissionEffect,
} from '../../simulation/write-effect.js';
import { factsOfImports, listReversals } from '../facts-of-imports.js';
import { findImport } from '../import-history.js';
import { importExample } from '../queries/list-imports.js';
import { storeFacts } from '../store-facts.js';

const maxListed = 100;

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: count without writing'),
  effect: flag.default(false).describe('true with dryRun: also the effect on commission'),
});
const response = z.object({
  restored: z.int().describe('Number of deals, people or other facts that are as they were before the import again'),
  removed: z
    .int()
    .describe('Number of those that the import had created: deals are marked as deleted, the others exist no more'),
  changedSince: z
    .array(z.string())
    .describe(
      `Ids of the first ${maxListed} deals that keep values or products, because these were changed since the import`,
    ),
  rejected: z
    .array(
      z
        .object({
          row: z.int().describe('Number of the row of the file, from 1, without the header'),
          code: z.string().describe('changed_since, or the error code of the change that would take the row back'),
          reason: z.string().describe('Why it is not taken back'),
        })
        .describe('A row that is not taken back'),
    )
    .optional()
    .describe(`The first ${maxListed} rows that are not taken back; absent for imports of deals and products`),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: more deals change than can be calculated at once'),
});
type Response = z.input<typeof response>;

interface TakenBack extends Pick<Response, 'restored' | 'removed' | 'changedSince' | 'rejected'> {
  readonly affected: ReadonlyMap<string, DayRange>;
}

async function takeBackDeals(
  tx: Transaction,
  caller: Caller,
  importId: string,
  context: Parameters<typeof restoreDeals>[3],
): Promise<TakenBack> {
  const changedSince = await listDealsChangedSince(tx, importId, maxListed);
  const { restored, removed, affected } = await restoreDeals(tx, caller, importId, context);
  return { restored: restored.size, removed, changedSince, affected };
}

/** Restores what was not changed since and can be restored. */
async function takeBackFacts(tx: Transaction, facts: Facts, importId: string, by: FactWriter): Promise<TakenBack> {
  const reversals = await listReversals(tx, facts, importId);
  const possible = reversals.flatMap(({ change, rejection }) => (rejection === null ? [change] : []));
  const { stored, failures, affected } = await storeFacts(tx, facts, possible, by);
  const rejected = reversals
    .flatMap(({ change, rejection }) => {
      const failure = rejection ?? failures.get(change);
      return failure === undefined ? [] : [{ row: change.row, code: failure.code, reason: failure.message }];
    })
    .sort((a, b) => a.row - b.row)
    .slice(0, maxListed);
  const restored = stored.filter(({ after }) => after !== null).length;
  return { restored, removed: stored.length - restored, changedSince: [], rejected, affected: daysByRep(affected) };
}

export const takeBackImport = operation({
  id: 'takeBackImport',
  summary: 'Restore what an import has changed as it was before, except what was changed since; once for each import',
  method: 'post',
  path: '/v1/imports/:importId/take-back',
  access: 'admin',
  stepUp: ({ query: { dryRun } }) => !dryRun,
  params: z.strictObject({ importId: pathIds.importId }),
  query,
  response,
  failures: { import_not_found: 404, import_not_reversible: 409 },
  example: {
    params: { importId: importExample.importId },
    query: { dryRun: 'false' },
    response: { restored: 15, removed: 2985, changedSince: ['D-17'] },
  },
  uses: { changes: CommissionChanges, unitOfWork: UnitOfWork, clock: CLOCK },
  /** One transaction, as the import was. In approved periods the change opens discrepancies. */
  async execute({ params: { importId }, query: { dryRun, effect } }, caller, { changes, unitOfWork, clock }) {
    const { kind } = await unitOfWork.read(caller, (tx) => findImport(tx, importId));
    const { facts, scope } = factsOfImports[kind];
    if (caller.scopes !== undefined && (scope === null || !caller.scopes.has(scope)))
      throw insufficientScope(caller, scope);
    const pace = new ImportPace(() => unitOfWork.hasOthers(caller));
    return withDryRun<Response>(dryRun, (end) =>
      changes.run(caller, facts === null ? 'import' : 'exclusive', async (tx, recalculate) => {
        await assertNotTakenBack(tx, importId);
        const write = () =>
          facts === null
            ? takeBackDeals(tx, caller, importId, { clock, pace })
            : takeBackFacts(tx, facts, importId, { caller, clock, recalculate });
        if (dryRun && effect)
          return end({ ...(await computeEffect(tx, await workspaceToday(tx, clock), write)), dryRun });
        const { affected, ...done } = await write();
        if (dryRun) return end({ ...done, dryRun });
        setAuditCounts(tx, { restored: done.restored, deleted: done.removed });
        await recalculate([...affected].map(([repId, days]) => ({ repId, days, trigger: 'import' })));
        return done;
      }),
    );
  },
});

/** The lock of the transaction makes it the only one that takes the import back. */
async function assertNotTakenBack(tx: Transaction, importId: string): Promise<void> {
  const { takenBackAt } = await findImport(tx, importId);
  if (takenBackAt !== null)
    throw new Failure('import_not_reversible', 'The import was taken back already.', { takenBackAt });
}

async function computeEffect(tx: Transaction, today: string, write: () => Promise<TakenBack>) {
  const { result, movement } = await computeMovement(tx, today, async () => {
    const { affected, ...done } = await write();
    const isTooLarge = done.restored + done.removed > maxForecastDeals;
    return { result: done, affected: isTooLarge ? null : await loadAffectedWithin(tx, affected) };
  });
  return { ...result, effect: movement === null ? null : toCommissionEffect(movement) };
}
