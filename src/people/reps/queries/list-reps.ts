import { z } from 'zod';
import { visibleReps } from '../../../kernel/caller.js';
import { isStorable } from '../../../platform/database/columns.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag, optionalPage, text } from '../../../platform/operations/schemas.js';
import { personFilterQuery } from '../person-filter.js';
import { normalEmail, readsAsWidget, rep, repExample } from '../rep.js';
import { listReps as loadReps, workspaceToday } from '../rep-views.js';

const query = z.strictObject({
  email: z
    .string()
    .max(1000)
    .refine(isStorable, 'contains characters that cannot be stored')
    .transform(normalEmail)
    .optional()
    .describe('Only the rep with this e-mail address, in any case'),
  query: text(200).optional().describe('Part of the name or of the e-mail address, ignoring case'),
  ...personFilterQuery,
  active: flag.optional().describe('true: only people who may sign in; false: only the others'),
  ...optionalPage('people'),
});

export const listReps = operation({
  id: 'listReps',
  summary: 'The people of the workspace, or the one with that e-mail',
  method: 'get',
  path: '/v1/reps',
  access: 'connection',
  payroll: true,
  query,
  response: z.object({ reps: z.array(rep).describe('The reps, by name') }),
  failures: {},
  tool: {
    name: 'list_reps',
    title: 'List reps',
    hints: effects.reads,
    description: {
      purpose: 'People with their id, role, manager and whether they are active.',
      useWhen: 'you need a repId.',
      notFor: 'what people earned (get_commissions).',
      formats: 'A rep sees only themself.',
      changes: 'nothing.',
    },
    arguments: {
      email: 'Whole address',
      query: 'Part of the name or address',
      team: 'Team name',
      title: 'Job title',
      location: 'Location',
      managerId: 'Manager',
      role: 'Their role',
      fields: { always: undefined },
      active: 'May sign in',
    },
    list: 'reps',
    detail: {
      defaultForm: 'summary',
      summaryOmits: ['reps.crmMemberId', 'reps.avatar', 'reps.invite_status', 'reps.inviteMail', 'reps.payrollId'],
    },
    summary: ({ reps }) => `Reps found: ${reps.length}.`,
  },
  example: { query: { email: 'ben@acme.test' }, response: { reps: [repExample] } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { email, query: part, limit, offset, ...profile } }, caller, { unitOfWork, clock }) {
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const isWidget = readsAsWidget(caller);
      const repIds = isWidget ? undefined : (visibleReps(caller) ?? undefined);
      const reps = await loadReps(tx, today, { email, profile, query: part, repIds, page: { limit, offset } });
      return { reps: isWidget ? reps.map(({ fields: _, ...person }) => ({ ...person, payrollId: null })) : reps };
    });
  },
});
