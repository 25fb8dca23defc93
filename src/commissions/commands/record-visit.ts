import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { recordVisitOf, visitMinutes } from '../updates/visits.js';

export const recordVisit = operation({
  id: 'recordVisit',
  summary: 'Record that the person of the session looks at their pay, and say when the visit before ended',
  method: 'put',
  path: '/v1/visit',
  access: 'rep',
  // A visit changes nothing that anyone reads but the person, so it has no entry in the audit log.
  scope: 'read',
  response: z.object({
    since: z
      .string()
      .nullable()
      .describe(
        `When the person last looked, before a pause of more than ${visitMinutes} minutes, instant in ISO 8601: the \`since\` of \`GET /v1/updates\`. Null in the first visit`,
      ),
  }),
  failures: { no_person: 409 },
  example: { response: { since: '2026-02-10T08:30:00.000Z' } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(_input, caller, { unitOfWork, clock }) {
    const { repId } = caller;
    if (repId === null) throw new Failure('no_person', 'Only people have visits. Sign in to record yours.');
    const since = await unitOfWork.write(caller, (tx) => recordVisitOf(tx, repId, clock.now()));
    return { since: since?.toISOString() ?? null };
  },
});
