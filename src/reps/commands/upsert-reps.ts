import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { type Rep, rep, repExample } from '../rep.js';
import { listReps, workspaceToday } from '../rep-views.js';
import { person, upsertPeople } from '../upsert-people.js';

const body = z.strictObject({
  reps: z.array(person).min(1).max(10_000).describe('The reps to create or to update, found by e-mail address'),
});

@injectable()
export class UpsertReps {
  constructor(
    @inject(CommissionChanges) private readonly changes: CommissionChanges,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ body: { reps: people } }: Input<unknown, unknown, z.infer<typeof body>>, caller: Caller) {
    const { workspaceId } = caller;
    return this.changes.run(caller, 'exclusive', async (trx, recalculate) => {
      const today = await workspaceToday(trx, workspaceId, this.clock);
      const upserted = await upsertPeople(trx, recalculate, { workspaceId, today }, people);
      const repIds = upserted.map(({ repId }) => repId);
      const byId = new Map((await listReps(trx, workspaceId, today, { repIds })).map((one) => [one.id, one]));
      return { reps: repIds.map((repId) => byId.get(repId) as Rep) };
    });
  }
}

export const upsertReps = operation({
  id: 'upsertReps',
  summary: 'Create or change people and their managers by e-mail, all or none',
  method: 'put',
  path: '/v1/reps',
  access: 'admin',
  body,
  maxKeys: 100_000,
  response: z.object({ reps: z.array(rep).describe('The reps as stored, in the order of the request') }),
  failures: { rep_limit_reached: 403, last_admin: 409 },
  example: {
    body: {
      reps: [
        { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
        { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', managerEmail: 'mia@acme.test' },
      ],
    },
    answer: { reps: [repExample] },
  },
  handler: UpsertReps,
});
