import { z } from 'zod';
import { roles, visibleReps } from '../../../kernel/caller.js';
import { isStorable } from '../../../platform/database/columns.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation, Page } from '../../../platform/operations/operation.js';
import { commaList, countAllPages, flag, optionalPage, text, uuid } from '../../../platform/operations/schemas.js';
import { idsQuery, personFilterQuery, wordsQuery } from '../person-filter.js';
import { normalEmail, type Rep, readsAsWidget, rep, repExample, visibleAmong } from '../rep.js';
import { countReps, listRepPage, listReps as loadReps, repOrder, workspaceToday } from '../rep-views.js';

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
  words: wordsQuery,
  roles: commaList(z.enum(roles), roles.length)
    .optional()
    .describe('Only people with one of these roles, separated by commas'),
  ids: idsQuery,
  withoutPayrollId: flag
    .default(false)
    .describe('true: only active reps and managers without a payrollId, which payroll files need'),
  planId: uuid.optional().describe('Only people with an assignment to this plan (UUID)'),
  assigned: flag.optional().describe('true: only people with an assignment; false: only people without one'),
  hasQuota: flag.optional().describe('true: only people with a quota; false: only people without one'),
  sort: text(200)
    .regex(repOrder, 'must be an order of people')
    .optional()
    .describe(
      'The order of the people: name, email, role, team, manager, crmMemberId, payrollId, or field and the slug of a field that the workspace defines, with - before it from the last to the first. The answer then has their count. By name by default',
    ),
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
  response: z.object({
    reps: z.array(rep).describe('The reps, by name'),
    count: z.int().optional().describe('Number of people on all pages; with sort only'),
  }),
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
      words: { always: undefined },
      roles: { always: undefined },
      ids: { always: undefined },
      withoutPayrollId: { always: 'false' },
      planId: { always: undefined },
      assigned: { always: undefined },
      hasQuota: { always: undefined },
      sort: { always: undefined },
      active: 'May sign in',
    },
    list: 'reps',
    detail: {
      defaultForm: 'summary',
      summaryOmits: ['reps.crmMemberId', 'reps.avatar', 'reps.invite_status', 'reps.inviteMail', 'reps.payrollId'],
    },
    summary: (_response, _caller, total) => `Reps found: ${total}.`,
  },
  example: { query: { email: 'ben@acme.test' }, response: { reps: [repExample] } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, { unitOfWork, clock }) {
    const { title, team, location, managerId, role, fields, active, ids, sort, limit, offset, ...others } = request;
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const isWidget = readsAsWidget(caller);
      const visible = isWidget ? null : visibleReps(caller);
      const repIds = visibleAmong(visible, ids);
      const profile = { title, team, location, managerId, role, fields, active };
      const page = { limit, offset };
      const filter = { ...others, profile, repIds: repIds ?? undefined, page };
      const found: { readonly reps: readonly Rep[]; readonly count?: number } =
        sort === undefined ? { reps: await loadReps(tx, today, filter) } : await listRepPage(tx, today, filter, sort);
      const { reps } = found;
      const listed = isWidget ? reps.map(({ fields: _, ...person }) => ({ ...person, payrollId: null })) : reps;
      const count = found.count ?? (await countAllPages(page, reps.length, () => countReps(tx, today, filter)));
      return new Page({ ...found, reps: listed }, count);
    });
  },
});
