import { z } from 'zod';
import { type Caller } from '../../../kernel/caller.js';
import { newId } from '../../../kernel/ids.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { completeJobIfDone, createJob } from '../../../ledger/requests/calculation-jobs.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../../ledger/requests/recalculate.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { rebuildDealProjections } from '../../rebuild-deal-projections.js';
import { followRefundMapping } from '../../refunds/crm-refunds.js';
import {
  assertEachSlugOnce,
  fieldMapping,
  fieldMappingExample,
  measureMapping,
  refundMapping,
  standardMapping,
} from '../field-mapping.js';
import { saveMapping } from '../field-mapping-store.js';

const body = z.strictObject({
  standard: standardMapping.describe('Slugs of the fields that hold the standard values of a deal'),
  measures: measureMapping.default({}).describe('Slugs that plans use, each with the slug of the CRM'),
  refunds: refundMapping
    .optional()
    .describe('Fields of synced deals that state a refund; absent: none, and refunds that they stated are removed'),
});

async function startJob(tx: Transaction, recalculate: Recalculate, { actor }: Caller, deals: number): Promise<string> {
  const { count } = await tx.db
    .selectFrom('reps')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const scopeKey = `mapping:${newId()}`;
  const { jobId } = await createJob(tx, {
    kind: 'mapping',
    scope: { scope: 'workspace' },
    scopeKey,
    actor,
    total: Number(count),
    deals,
  });
  const reps = await recalculate.workspace('mapping_change', jobId);
  if (reps === 0) await completeJobIfDone(tx, jobId);
  return jobId;
}

export const saveFieldMapping = operation({
  id: 'saveFieldMapping',
  summary: 'Save which CRM fields hold the standard values and measures; stored deals are rebuilt',
  method: 'post',
  path: '/v1/fields/save',
  access: 'admin',
  body,
  response: fieldMapping.extend({ jobId: z.string().describe('The recalculation job (UUID) that the change started') }),
  status: 201,
  failures: {},
  example: { body: fieldMappingExample, response: { ...fieldMappingExample, jobId: sampleIds.jobId } },
  uses: { changes: CommissionChanges },
  /** Replaces the mapping, rebuilds every stored deal with it and recalculates everyone in the background. */
  async execute({ body: mapping }, caller, { changes }) {
    assertEachSlugOnce(mapping.standard);
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      await saveMapping(tx, mapping);
      const reprojected = await rebuildDealProjections(tx);
      await followRefundMapping(tx);
      return { ...mapping, jobId: await startJob(tx, recalculate, caller, reprojected) };
    });
  },
});
