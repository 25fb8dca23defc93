import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { maySee } from '../../../kernel/caller.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { notYours } from '../../../people/reps/rep.js';
import { assertRepExists } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { offsetPage, optionalPeriod } from '../../../platform/operations/schemas.js';
import { resolvePeriod } from '../../statement-views.js';
import { comment, commentExample, maxCommentsPerPage } from '../comment.js';
import { listComments as load } from '../comment-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const query = z.strictObject({
  period: optionalPeriod,
  ...offsetPage('comments', maxCommentsPerPage, maxCommentsPerPage),
});

export const listComments = operation({
  id: 'listComments',
  summary: "List the comments on a rep's statement, oldest first, at most 500 at a time",
  method: 'get',
  path: '/v1/statements/:repId/comments',
  access: 'rep',
  payroll: true,
  params,
  query,
  response: z.array(comment),
  failures: { rep_not_found: 404 },
  example: { params: { repId: sampleIds.repId }, query: { period: '2026-02' }, response: [commentExample] },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId }, query: request }, caller, { unitOfWork, clock }) {
    if (!maySee(caller, repId)) throw notYours();
    return unitOfWork.read(caller, async (tx) => {
      await assertRepExists(tx, repId);
      const { period: requestedPeriod } = await resolvePeriod(tx, request.period, clock);
      return load(tx, { repId, period: requestedPeriod }, request);
    });
  },
});
