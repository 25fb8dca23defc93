import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery, uuid } from '../../../platform/operations/schemas.js';
import { absence, absenceExample } from '../absence.js';
import { listAbsences as loadAbsences } from '../absence-views.js';

const query = z.strictObject({
  repId: uuid.optional().describe('Only absences of this rep (UUID)'),
  asOf: asOfQuery,
});

export const listAbsences = operation({
  id: 'listAbsences',
  summary: 'Absences of people, with the relief of their quotas',
  method: 'get',
  path: '/v1/absences',
  access: 'admin',
  query,
  response: z.object({
    absences: z.array(absence).describe('Absences by rep, earliest first'),
    count: z.int().describe('Number of absences'),
  }),
  failures: {},
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
  example: { query: { repId: sampleIds.repId }, response: { absences: [absenceExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { repId, asOf } }, caller, { unitOfWork }) {
    const repIds = repId === undefined ? null : [repId];
    const absences = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) =>
      loadAbsences(tx, { repIds }),
    );
    return { absences, count: absences.length };
  },
});
