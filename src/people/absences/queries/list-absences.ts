import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { effects } from '../../../platform/mcp/tool.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { Page } from '../../../platform/operations/operation.js';
import { asOfQuery, countAllPages, optionalPage, uuid } from '../../../platform/operations/schemas.js';
import { absence, absenceExample } from '../absence.js';
import { countAbsences, listAbsences as loadAbsences } from '../absence-views.js';

export const listAbsences = listOf(
  {
    id: 'listAbsences',
    summary: 'Absences of people, with the relief of their quotas',
    path: '/v1/absences',
    access: 'admin',
    query: z.strictObject({
      repId: uuid.optional().describe('Only absences of this rep (UUID)'),
      asOf: asOfQuery,
      ...optionalPage('absences'),
    }),
    list: { name: 'absences', items: z.array(absence).describe('Absences by rep, earliest first') },
    tool: {
      name: 'list_absences',
      title: 'List absences',
      hints: effects.reads,
      description: {
        purpose: 'Absences of people, and the part of quotas that they do not count.',
        useWhen: 'a quota is lower than expected.',
        notFor: 'targets (list_quotas).',
        changes: 'nothing.',
      },
      arguments: { repId: 'This person', asOf: { always: undefined } },
      listsWithin: ['absences'],
      summary: ({ count }) => `Absences: ${count}.`,
    },
    example: { query: { repId: sampleIds.repId }, items: [absenceExample] },
  },
  async (tx, { query: { repId, limit, offset } }) => {
    const page = { limit, offset };
    const repIds = repId === undefined ? null : [repId];
    const absences = await loadAbsences(tx, { repIds, page });
    return new Page(absences, await countAllPages(page, absences.length, () => countAbsences(tx, { repIds })));
  },
);
