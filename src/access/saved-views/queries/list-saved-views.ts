import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { requirePerson, savedViewExample, savedViews } from '../saved-view.js';

export const listSavedViews = operation({
  id: 'listSavedViews',
  summary: 'The views of lists that the person of the session has saved',
  method: 'get',
  path: '/v1/saved-views',
  access: 'rep',
  payroll: true,
  scope: null,
  response: z.object({ views: savedViews.describe('The views, in their order') }),
  failures: { no_person: 409 },
  example: { response: { views: [savedViewExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_request, caller, { unitOfWork }) {
    const repId = requirePerson(caller);
    const { saved_views: views } = await unitOfWork.read(caller, (tx) =>
      tx.db
        .selectFrom('reps')
        .select('saved_views')
        .where('workspace_id', '=', caller.workspaceId)
        .where('rep_id', '=', repId)
        .executeTakeFirstOrThrow(),
    );
    return { views: [...views] };
  },
});
