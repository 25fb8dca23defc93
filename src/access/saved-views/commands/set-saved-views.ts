import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { requirePerson, savedViewExample, savedViews } from '../saved-view.js';

export const setSavedViews = operation({
  id: 'setSavedViews',
  summary: 'Save the views of lists of the person of the session, in place of all that are saved',
  method: 'put',
  path: '/v1/saved-views',
  access: 'rep',
  payroll: true,
  finance: true,
  scope: null,
  body: z.strictObject({ views: savedViews.describe('All views, in their order; [] removes them') }),
  response: z.object({ views: savedViews.describe('The views, in their order') }),
  failures: { no_person: 409 },
  example: { body: { views: [savedViewExample] }, response: { views: [savedViewExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: { views } }, caller, { unitOfWork }) {
    const repId = requirePerson(caller);
    const names = views.map(({ page, name }) => `${page} ${name.toLowerCase()}`);
    const twice = names.findIndex((name, index) => names.indexOf(name) < index);
    if (twice >= 0) throw invalid({ path: `views.${twice}.name`, message: 'is the name of another view of the page' });
    await unitOfWork.write(caller, (tx) =>
      tx.db
        .updateTable('reps')
        .set({ saved_views: JSON.stringify(views) })
        .where('workspace_id', '=', caller.workspaceId)
        .where('rep_id', '=', repId)
        .execute(),
    );
    return { views };
  },
});
