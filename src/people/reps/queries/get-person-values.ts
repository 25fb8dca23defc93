import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import { findDatedField } from '../dated-field.js';
import { findDatedValues } from '../dated-value-views.js';
import { personFieldSlug, personValues, personValuesExample } from '../person-values-response.js';
import { repNotFound } from '../rep.js';
import { assertRepExists } from '../rep-views.js';

export const getPersonValues = operation({
  id: 'getPersonValues',
  summary: 'The values of a dated field of a person, in the order of their days',
  method: 'get',
  path: '/v1/reps/:repId/fields/:slug',
  access: 'admin',
  params: z.strictObject({ repId: pathIds.repId, slug: personFieldSlug }),
  response: personValues,
  failures: { rep_not_found: 404, field_not_dated: 400 },
  example: { params: { repId: sampleIds.repId, slug: 'title' }, response: personValuesExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { repId: rawId, slug } }, caller, { unitOfWork }) {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    return unitOfWork.read(caller, async (tx) => {
      await assertRepExists(tx, repId);
      await findDatedField(tx, slug);
      return { repId, slug, values: [...(await findDatedValues(tx, repId, slug))] };
    });
  },
});
