import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { listNativeDefinitions } from '../field-definition-views.js';
import { fieldMapping, fieldMappingExample } from '../field-mapping.js';
import { suggestMapping } from '../field-matching.js';

export const autoMatchFields = operation({
  id: 'autoMatchFields',
  summary: 'Suggest a field mapping from the fields of the connected CRM, otherwise of the deals; nothing is saved',
  method: 'post',
  path: '/v1/fields/auto-match',
  access: 'connection',
  reads: true,
  response: fieldMapping,
  status: 201,
  failures: {},
  example: { response: fieldMappingExample },
  uses: { unitOfWork: UnitOfWork },
  async execute(_, caller, { unitOfWork }) {
    const fields = await unitOfWork.read(caller, (tx) => listNativeDefinitions(tx));
    return suggestMapping(fields);
  },
});
