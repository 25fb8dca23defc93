import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { personField, personFieldExample } from '../person-field.js';
import { listPersonFields as loadFields } from '../person-field-views.js';

export const listPersonFields = operation({
  id: 'listPersonFields',
  summary: 'The fields of people that the workspace defines',
  method: 'get',
  path: '/v1/person-fields',
  access: 'manager',
  payroll: true,
  response: z.object({ fields: z.array(personField).describe('The fields, in their order') }),
  failures: {},
  example: { response: { fields: [personFieldExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_request, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => ({ fields: [...(await loadFields(tx))] }));
  },
});
