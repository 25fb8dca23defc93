import { inject, injectable } from 'tsyringe';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { listNativeDefinitions } from '../field-definition-views.js';
import { fieldMapping, fieldMappingExample } from '../field-mapping.js';
import { suggestMapping } from '../field-matching.js';

@injectable()
export class AutoMatchFields {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_: Input, caller: Caller) {
    const fields = await this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
      listNativeDefinitions(trx, caller.workspaceId),
    );
    return suggestMapping(fields);
  }
}

export const autoMatchFields = operation({
  id: 'autoMatchFields',
  summary: 'Suggest a field mapping from the fields of the connected CRM, otherwise of the deals; nothing is saved',
  method: 'post',
  path: '/v1/fields/auto-match',
  access: 'connection',
  response: fieldMapping,
  status: 201,
  failures: {},
  example: { answer: fieldMappingExample },
  handler: AutoMatchFields,
});
