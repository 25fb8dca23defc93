import { z } from 'zod';
import { fields, pageFields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { readActorNames } from '../../people/reps/actor-names.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { offsetPage } from '../../platform/operations/schemas.js';
import { toPlain } from '../apply-corrections.js';
import { correctionName, correctionValue } from '../correction-fields.js';
import { dealId } from '../deal.js';
import { findCreditedDeal } from '../deal-credit-views.js';
import { maxVersions, readHistory } from '../deal-history-views.js';

const entry = z
  .object({
    at: z.string().describe('When the service stored it, instant in ISO 8601'),
    kind: z
      .enum(['created', 'changed', 'deleted', 'restored'])
      .describe('What happened. For the oldest entry of a long history, changes are all values that the deal had'),
    by: z.string().nullable().describe('Who did it; null for a sync with the CRM'),
    byName: z.string().nullable().describe('Name of the person, or that it was a key; null if unknown'),
    provider: z.string().nullable().describe('The CRM that reported it; null for a file or the API'),
    changes: z
      .array(
        z
          .object({
            name: correctionName.describe(
              'Changed value: amount, currency, stage, closeDate, createdDate, name, owner, or `fields.` and the slug',
            ),
            before: correctionValue.describe('The value before; null for none'),
            after: correctionValue.describe('The value since; null for none'),
          })
          .describe('A changed value'),
      )
      .describe('The values that changed'),
  })
  .describe('A change of the deal');

export const listDealHistory = operation({
  id: 'listDealHistory',
  summary: 'What happened to a deal: who changed which values, when, from what to what',
  method: 'get',
  path: '/v1/deals/:dealId/history',
  access: 'rep',
  params: z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') }),
  query: z.strictObject(offsetPage('changes', 200, 50)),
  response: z.object({
    dealId: fields.dealId,
    history: z.array(entry).describe(`The changes of the page, newest first, of the latest ${maxVersions} states`),
    ...pageFields,
  }),
  failures: { deal_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId },
    query: { limit: '50', offset: '0' },
    response: {
      dealId: sampleIds.dealId,
      history: [
        {
          at: '2026-02-11T08:30:00.000Z',
          kind: 'changed',
          by: `rep:${sampleIds.managerId}`,
          byName: 'Mia Manager',
          provider: null,
          changes: [{ name: 'amount', before: '100000', after: '120000' }],
        },
      ],
      count: 1,
      limit: 50,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId: id }, query: { limit, offset } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => {
      await findCreditedDeal(tx, caller, id);
      const all = await readHistory(tx, id);
      const page = all.slice(offset, offset + limit);
      const names = await readActorNames(
        tx,
        page.map(({ by }) => by),
      );
      const history = page.map(({ at, kind, by, provider, changes }) => ({
        at: at.toISOString(),
        kind,
        by,
        byName: names.get(by ?? '') ?? null,
        provider,
        changes: changes.map(({ name, before, after }) => ({ name, before: toPlain(before), after: toPlain(after) })),
      }));
      return { dealId: id, history, count: all.length, limit, offset };
    });
  },
});
