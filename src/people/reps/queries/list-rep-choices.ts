import { z } from 'zod';
import { roles, visibleReps } from '../../../kernel/caller.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { commaList, flag } from '../../../platform/operations/schemas.js';
import { listRepChoices as loadChoices, workspaceToday } from '../rep-views.js';

const query = z.strictObject({
  roles: commaList(z.enum(roles), roles.length)
    .optional()
    .describe('Only values of people with one of these roles, separated by commas'),
  active: flag.optional().describe('true: only values of people who may sign in; false: only of the others'),
});

const texts = z.array(z.string());

export const listRepChoices = operation({
  id: 'listRepChoices',
  summary: 'The values by which the people that the caller sees can be filtered, and how many people there are',
  method: 'get',
  path: '/v1/rep-choices',
  access: 'rep',
  payroll: true,
  query,
  response: z.object({
    count: z.int().describe('Number of people'),
    roles: z.array(z.enum(roles)).describe('Roles that people have'),
    teams: texts.describe('Teams, up to 1,000'),
    titles: texts.describe('Job titles, up to 1,000'),
    locations: texts.describe('Locations, up to 1,000'),
    managers: z
      .array(
        z
          .object({ id: z.string().describe('Id of the manager (UUID)'), name: z.string().describe('Name') })
          .describe('A manager'),
      )
      .describe('Who manages these people today, by name, up to 1,000'),
    fields: z
      .record(z.string(), z.array(z.union([z.string(), z.number()])))
      .describe('Values of the fields that the workspace defines, by slug, up to 1,000 of each'),
  }),
  failures: {},
  example: {
    query: { roles: 'rep,manager', active: 'true' },
    response: {
      count: 12,
      roles: ['manager', 'rep'],
      teams: ['North'],
      titles: ['Account Executive'],
      locations: [],
      managers: [{ id: sampleIds.repId, name: 'Mia' }],
      fields: { region: ['DACH'] },
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { roles: anyOf, active } }, caller, { unitOfWork, clock }) {
    return unitOfWork.read(caller, async (tx) => {
      const filter = { roles: anyOf, profile: { active }, repIds: visibleReps(caller) ?? undefined };
      return loadChoices(tx, await workspaceToday(tx, clock), filter);
    });
  },
});
