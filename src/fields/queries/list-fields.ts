import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { fieldDefinition } from '../field-definition.js';
import { listDefinitions } from '../field-definition-views.js';

@injectable()
export class ListFields {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_: Input, caller: Caller) {
    return this.unitOfWork.run(caller, 'reads', (trx) => listDefinitions(trx, caller.workspaceId));
  }
}

export const listFields = operation({
  id: 'listFields',
  summary:
    'Fields that plans may use: the standard values, those of the connected CRM, and what the newest 2,000 deals carry',
  method: 'get',
  path: '/v1/fields',
  access: 'connection',
  response: z.array(fieldDefinition),
  failures: {},
  handler: ListFields,
});

export const listFieldAttributes = operation({
  ...listFields,
  id: 'listFieldAttributes',
  summary: 'The same as GET /v1/fields; deprecated',
  path: '/v1/fields/attributes',
});
