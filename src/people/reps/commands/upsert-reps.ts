import { z } from 'zod';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { leftBehind, listLeftBehind } from '../left-behind.js';
import { peopleSubject } from '../people-subject.js';
import { type Rep, rep, repExample } from '../rep.js';
import { listReps, workspaceToday } from '../rep-views.js';
import { runPeopleChange } from '../run-people-change.js';
import { person, upsertPeople } from '../upsert-people.js';

const body = z.strictObject({
  reps: z.array(person).min(1).max(10_000).describe('The reps to create or to update, found by e-mail address'),
});

export const upsertReps = operation({
  id: 'upsertReps',
  summary: 'Create or change people and their managers by e-mail, all or none',
  method: 'put',
  path: '/v1/reps',
  access: 'admin',
  stepUp: ({ body: { reps } }) =>
    reps.some(({ role, active, payrollId }) => [role, active, payrollId].some((value) => value !== undefined)),
  body,
  maxKeys: 100_000,
  response: z.object({
    reps: z.array(rep).describe('The reps as stored, in the order of the request'),
    ...leftBehind,
  }),
  failures: { rep_limit_reached: 403, last_admin: 409 },
  tool: {
    name: 'set_people',
    title: 'Set people',
    hints: effects.sets,
    description: {
      purpose: 'Add people, or change those with the same e-mail address, all or none.',
      useWhen: 'a person joins, or gets another manager or role.',
      notFor: 'mails to them (invite_people).',
      changes: 'the people; commission of their deals is recalculated.',
    },
    arguments: {
      reps: {
        description: 'Each {email, name, role, active, crmMemberId, managerEmail, managerFrom}; email and name suffice',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
    },
    list: 'reps',
    summary: ({ reps, reports = [] }) =>
      `People set: ${reps.length}.${reports.map(({ count, managerId }) => ` ${count} people still report to ${managerId}, who may not sign in: give them another managerEmail.`).join('')}`,
  },
  subject: (tx, { body: { reps } }) => peopleSubject(tx, reps),
  example: {
    body: {
      reps: [
        { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
        { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', managerEmail: 'mia@acme.test' },
      ],
    },
    response: { reps: [repExample] },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ body: { reps: people } }, caller, { changes, clock }) {
    return runPeopleChange(changes, caller, async (tx, recalculate, beforeCommissionChange) => {
      const today = await workspaceToday(tx, clock);
      const context = { caller, today, beforeCommissionChange };
      const upserted = await upsertPeople(tx, recalculate, context, people);
      const repIds = upserted.map(({ repId }) => repId);
      const byId = new Map((await listReps(tx, today, { repIds })).map((listed) => [listed.id, listed]));
      return {
        reps: repIds.map((repId) => byId.get(repId) as Rep),
        ...(await listLeftBehind(
          tx,
          today,
          repIds.map((repId, index) => ({ ...people[index], repId })),
        )),
      };
    });
  },
});
