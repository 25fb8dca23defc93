import { inject, injectable } from 'tsyringe';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { fieldMapping } from '../field-mapping.js';
import { findMapping } from '../field-mapping-views.js';

@injectable()
export class GetFieldMapping {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_: Input, caller: Caller) {
    const { standard, measures } = await this.unitOfWork.run(caller, 'reads', (trx) =>
      findMapping(trx, caller.workspaceId),
    );
    return { standard, measures: { ...measures } };
  }
}

export const getFieldMapping = operation({
  id: 'getFieldMapping',
  summary: 'The saved field mapping',
  method: 'get',
  path: '/v1/fields/current',
  access: 'connection',
  response: fieldMapping,
  failures: {},
  handler: GetFieldMapping,
});
