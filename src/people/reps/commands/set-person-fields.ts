import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { assertFields, personField, personFieldExample } from '../person-field.js';
import { savePersonFields } from '../person-field-store.js';

const fields = z.array(personField).max(30);

export const setPersonFields = operation({
  id: 'setPersonFields',
  summary: 'Define the fields of people, in place of all that are defined',
  method: 'put',
  path: '/v1/person-fields',
  access: 'admin',
  body: z.strictObject({ fields: fields.describe('All fields, in their order; [] removes them') }),
  response: z.object({ fields: fields.describe('The fields, in their order') }),
  failures: { person_field_in_use: 409 },
  example: { body: { fields: [personFieldExample] }, response: { fields: [personFieldExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body }, caller, { unitOfWork }) {
    assertFields(body.fields);
    await unitOfWork.run(caller, { lock: 'none', access: 'write' }, (tx) => savePersonFields(tx, body.fields));
    return body;
  },
});
