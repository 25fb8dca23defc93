import { z } from 'zod';
import { comparableText } from '../../kernel/comparable-text.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { repNotFound } from '../../people/reps/rep.js';
import { unknownReps } from '../../people/reps/rep-views.js';
import { operation } from '../../platform/operations/operation.js';
import { text, uuid } from '../../platform/operations/schemas.js';
import { maxOwnerIdLength } from '../deal.js';
import { matchOwners } from '../owner-match-store.js';

const body = z.strictObject({
  matches: z
    .array(
      z
        .strictObject({
          owner: text(maxOwnerIdLength).describe('The owner as the deals name it, in any case'),
          repId: uuid.nullable().describe('The rep who owns the deals (UUID); null ends the match for later deals'),
        })
        .describe('One owner'),
    )
    .min(1)
    .max(500)
    .refine(
      (matches) => new Set(matches.map(({ owner }) => comparableText(owner))).size === matches.length,
      'must name each owner once',
    )
    .describe('Owners and the reps who they are'),
});

const response = z.object({
  matched: z.int().describe('Number of owners that have a rep now'),
  deals: z.int().describe('Number of stored deals that got their rep. Their commission is calculated'),
});

export const matchDealOwners = operation({
  id: 'matchDealOwners',
  summary: 'Say which rep an owner of deals is: stored deals without a rep and later ones belong to the rep',
  method: 'put',
  path: '/v1/deal-owners',
  access: 'admin',
  body,
  response,
  failures: { rep_not_found: 404 },
  example: {
    body: { matches: [{ owner: 'h.gone@acme.test', repId: sampleIds.repId }] },
    response: { matched: 1, deals: 9 },
  },
  uses: { changes: CommissionChanges },
  async execute({ body: { matches } }, caller, { changes }): Promise<z.input<typeof response>> {
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const repIds = [...new Set(matches.flatMap(({ repId }) => repId ?? []))];
      const unknown = await unknownReps(tx, repIds);
      if (unknown.length > 0) throw repNotFound(unknown);
      const claimed = await matchOwners(tx, matches);
      await recalculate.reps([...claimed.keys()], 'rep_change');
      await recalculate.namedPeople();
      return {
        matched: matches.filter(({ repId }) => repId !== null).length,
        deals: [...claimed.values()].reduce((sum, deals) => sum + deals, 0),
      };
    });
  },
});
