import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { fieldOption, hasOptions } from '../field-definition.js';
import { findDefinition, listOptions } from '../field-definition-views.js';

/** Any text asks for a field; one that cannot be a slug is a field that does not exist. */
const params = z.strictObject({ slug: z.string() });

@injectable()
export class ListFieldOptions {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute({ params: { slug } }: Input<z.infer<typeof params>>, caller: Caller) {
    return this.unitOfWork.run(caller, 'reads', async (trx) => {
      const field = await findDefinition(trx, caller.workspaceId, slug);
      if (field === null || !hasOptions(field)) {
        throw new Failure('field_not_found', 'There is no select or status field of that slug among the deals.');
      }
      return listOptions(trx, caller.workspaceId, slug);
    });
  }
}

export const listFieldOptions = operation({
  id: 'listFieldOptions',
  summary:
    'Choices of a select or status field as the CRM lists them, else the values that the newest 2,000 deals have',
  method: 'get',
  path: '/v1/fields/attributes/:slug/options',
  access: 'connection',
  params,
  response: z.array(fieldOption),
  failures: { field_not_found: 404 },
  handler: ListFieldOptions,
});
