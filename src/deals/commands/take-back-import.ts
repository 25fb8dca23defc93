import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { commissionEffect } from '../../simulation/write-effect.js';
import { type AffectedReps, affectedReps, merge } from '../affected-reps.js';
import { affectedOfAll } from '../change-deal-facts.js';
import { readContent } from '../deal.js';
import { writeForEffect } from '../deal-write-effect.js';
import { findImport } from '../import/import-history.js';
import { ImportPace } from '../import/import-pace.js';
import { type ImportedVersion, listChangedSince, listImportedVersions } from '../import/imported-deals.js';
import { listChangedLinesSince, loadLinesBefore } from '../import/imported-lines.js';
import { changeLinesInParts } from '../import/lines-in-parts.js';
import { loadDealTerms } from '../load-deal-terms.js';
import { importExample } from '../queries/list-imports.js';
import { recordDeals } from '../record-deals.js';
import { removeDeals } from '../remove-deals.js';

const maxListed = 100;
const batchSize = 2000;

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: count without writing'),
  effect: flag.default(false).describe('true with dryRun: also the effect on commission'),
});
const response = z.object({
  restored: z.int().describe('Number of deals that have the values, or the products, of before the import again'),
  removed: z.int().describe('Number of deals that the import had created, and that are marked as deleted now'),
  changedSince: z
    .array(z.string())
    .describe(
      `Ids of the first ${maxListed} deals that keep values or products, because these were changed since the import`,
    ),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: more deals change than can be calculated at once'),
});
type Response = z.input<typeof response>;

interface TakenBack {
  readonly restored: Set<string>;
  removed: number;
  readonly affected: AffectedReps;
}

/** Restores the deals of the import that were not changed since. Their history keeps what the import stored. */
async function takeBackDeals(tx: Transaction, importId: string, clock: Clock, done: TakenBack): Promise<void> {
  for (let after = ''; ; ) {
    const found = await listImportedVersions(tx, importId, { limit: batchSize, after });
    const last = found.at(-1);
    if (last === undefined) return;
    await restore(tx, found, done);
    const created = found.flatMap(({ dealId, before }) => (before === null ? [dealId] : []));
    const removed = await removeDeals(tx, created, clock);
    done.removed += removed.accepted;
    merge(done.affected, removed.affected);
    after = last.dealId;
  }
}

async function restore(tx: Transaction, found: readonly ImportedVersion[], done: TakenBack): Promise<void> {
  const terms = await loadDealTerms(tx);
  const deals = found.flatMap(({ dealId, before }) =>
    before === null
      ? []
      : [
          {
            dealId,
            ...readContent(before, terms),
            sourceUpdatedAt: null,
            provider: before.provider,
            corrections: { restored: before.corrections },
          },
        ],
  );
  const { outcomes, changes } = await recordDeals(tx, deals);
  for (const [index, { dealId }] of deals.entries())
    if (outcomes[index] === 'changed' || outcomes[index] === 'created') done.restored.add(dealId);
  merge(done.affected, await affectedReps(tx, changes));
}

/** Restores what an import of lines, or of deals with lines, has replaced. */
async function takeBack(
  tx: Transaction,
  caller: Caller,
  importId: string,
  { clock, pace }: { readonly clock: Clock; readonly pace: ImportPace },
): Promise<TakenBack> {
  const done: TakenBack = { restored: new Set(), removed: 0, affected: new Map() };
  // Read first: a restored deal is no deal of the import any more.
  const lines = await loadLinesBefore(tx, importId);
  await takeBackDeals(tx, importId, clock, done);
  const changed = await changeLinesInParts(tx, caller, lines, pace);
  for (const dealId of changed.changed) done.restored.add(dealId);
  merge(done.affected, affectedOfAll(changed));
  return done;
}

async function listAllChangedSince(tx: Transaction, importId: string): Promise<string[]> {
  const deals = await listChangedSince(tx, importId, maxListed);
  const lines = await listChangedLinesSince(tx, importId, maxListed);
  return [...new Set([...deals, ...lines])].sort().slice(0, maxListed);
}

async function assertTakesBack(tx: Transaction, importId: string): Promise<void> {
  const { kind } = await findImport(tx, importId);
  if (kind === 'deals' || kind === 'lines') return;
  throw new Failure('import_not_reversible', 'Only imports of deals and of their products can be taken back.', {
    kind,
  });
}

export const takeBackImport = operation({
  id: 'takeBackImport',
  summary:
    'Restore the deals of an import, or their products, as they were before it, except those that were changed since',
  method: 'post',
  path: '/v1/imports/:importId/take-back',
  access: 'admin',
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
  async execute(
    { params: { importId }, query: { dryRun, effect: withEffect } },
    caller,
    { changes, unitOfWork, clock },
  ) {
    const pace = new ImportPace(() => unitOfWork.hasOthers(caller));
    return withDryRun<Response>(dryRun, (end) =>
      changes.run(caller, 'import', async (tx, recalculate) => {
        await assertTakesBack(tx, importId);
        const changedSince = await listAllChangedSince(tx, importId);
        const toResponse = ({ restored, removed }: TakenBack) => ({ restored: restored.size, removed, changedSince });
        const write = async () => {
          const done = await takeBack(tx, caller, importId, { clock, pace });
          return { ...done, accepted: done.restored.size + done.removed };
        };
        if (dryRun && withEffect) {
          const { result, effect } = await writeForEffect(tx, clock, write);
          return end({ ...toResponse(result), dryRun, effect });
        }
        const done = await write();
        if (dryRun) return end({ ...toResponse(done), dryRun });
        await setAuditCounts(tx, { restored: done.restored.size, deleted: done.removed });
        await recalculate([...done.affected].map(([repId, days]) => ({ repId, days, trigger: 'import' })));
        return toResponse(done);
      }),
    );
  },
});
