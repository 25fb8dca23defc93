import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag, uuid } from '../../../platform/operations/schemas.js';
import { personalEffect } from '../../../simulation/write-effect.js';
import { type Chosen, changePeople, chosenPeople, previewChange } from '../change-people.js';
import { personChange } from '../change-person.js';
import { personFilter } from '../person-filter.js';

const maxPeople = 1000;

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: say what would change for whom, and change nothing'),
});

const body = z.strictObject({
  repIds: z.array(uuid).min(1).max(maxPeople).optional().describe('Ids of the people (UUID); or give filter'),
  filter: personFilter.optional(),
  change: personChange
    .pick({
      role: true,
      active: true,
      title: true,
      team: true,
      location: true,
      fields: true,
      managerId: true,
      managerFrom: true,
    })
    .describe('What everyone gets; absent fields stay'),
});

const changedPerson = z
  .object({
    repId: z.string().describe('Id of the person (UUID)'),
    name: z.string().nullable().describe('Name of the person; null if there is no such person'),
    outcome: z.enum(['changed', 'unchanged', 'rejected']).describe('What became of the person'),
    changes: z
      .array(
        z
          .object({
            field: z.string().describe('Name of the field, such as team, or fields. and the slug'),
            from: z.string().nullable().describe('The value before, as text; null for none'),
            to: z.string().nullable().describe('The value after, as text; null for none'),
          })
          .describe('A value that differs'),
      )
      .describe('The values that differ'),
    reason: z.string().optional().describe('Why the person stays as they are; present if rejected'),
  })
  .describe('A person and what the change does to them');

const response = z.object({
  people: z.array(changedPerson).describe('The people, in the order of repIds, or by name for a filter'),
  changed: z.int().describe('Number of people who change'),
  rejected: z.int().describe('Number of people who cannot be changed'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With dryRun and managerId. null: the people have more deals than can be calculated at once'),
});

function toChosen({ repIds, filter }: z.infer<typeof body>): Chosen {
  if (repIds !== undefined && filter === undefined) return { repIds };
  if (filter !== undefined && repIds === undefined) return { filter };
  throw invalid({ path: '', message: 'give either repIds or filter' });
}

export const changeReps = operation({
  id: 'changeReps',
  summary: 'Change the role, activity, manager, title, team, location or fields of many people, each for themself',
  method: 'post',
  path: '/v1/reps/change',
  access: 'admin',
  stepUp: ({ body: { change }, query: { dryRun } }) =>
    !dryRun && (change.role !== undefined || change.active !== undefined),
  query,
  body,
  response,
  failures: {},
  example: {
    query: { dryRun: 'false' },
    body: { repIds: [sampleIds.repId], change: { team: 'South' } },
    response: {
      people: [
        {
          repId: sampleIds.repId,
          name: 'Ben',
          outcome: 'changed',
          changes: [{ field: 'team', from: 'North', to: 'South' }],
        },
      ],
      changed: 1,
      rejected: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, clock: CLOCK },
  async execute({ query: { dryRun }, body: requested }, caller, uses): Promise<z.input<typeof response>> {
    const { change } = requested;
    const { managerId, managerFrom, ...others } = change;
    if (managerFrom !== undefined && managerId === undefined)
      throw invalid({ path: 'change.managerFrom', message: 'needs a managerId, or null to end the reporting line' });
    if ([managerId, ...Object.values(others)].every((value) => value === undefined))
      throw invalid({ path: 'change', message: 'give at least one value' });
    const chosen = toChosen(requested);
    const repIds = await uses.unitOfWork.read(caller, (tx) => chosenPeople(tx, uses.clock, chosen));
    if (repIds.length > maxPeople)
      throw invalid({
        path: 'filter',
        message: `means ${repIds.length} people; at most ${maxPeople} are changed at once`,
      });
    const { people, ...effect } = await (dryRun ? previewChange : changePeople)(uses, caller, repIds, change);
    const count = (outcome: string) => people.filter((person) => person.outcome === outcome).length;
    return {
      people: people.map((person) => ({ ...person, changes: [...person.changes] })),
      changed: count('changed'),
      rejected: count('rejected'),
      ...(dryRun ? { dryRun } : {}),
      ...effect,
    };
  },
});
