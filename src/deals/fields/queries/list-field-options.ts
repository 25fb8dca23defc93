import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { fieldOption } from '../field-definition.js';
import { findFieldOptions } from '../field-options.js';

/** Any text is accepted; text that cannot be a slug is an unknown field. */
const params = z.strictObject({ slug: z.string().describe('Slug of the field') });

export const listFieldOptions = operation({
  id: 'listFieldOptions',
  summary:
    'Options of a select or status field, by any slug that plans use for it: as the CRM lists them, otherwise the values of the newest 2,000 deals',
  method: 'get',
  path: '/v1/fields/attributes/:slug/options',
  access: 'connection',
  params,
  response: z.array(fieldOption),
  failures: { field_not_found: 404 },
  tool: {
    name: 'get_field_options',
    title: 'Get options of a field',
    hints: effects.reads,
    description: {
      purpose: 'Values that the newest 2,000 deals have in one select or status field, at most 1,000.',
      useWhen: 'a condition needs the spelling of a value.',
      notFor: 'fields of other types (list_deals).',
      formats: 'slug of list_fields, or as a plan names the field.',
      changes: 'nothing.',
    },
    arguments: {
      slug: 'Such as stage',
    },
    list: 'options',
    summary: (options) => `Values seen: ${options.length}.`,
  },
  example: { params: { slug: 'dealStage' }, response: [{ label: 'Won', value: 'Won' }] },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { slug } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => {
      const options = await findFieldOptions(tx, slug);
      if (options === null)
        throw new Failure(
          'field_not_found',
          'There is no select or status field with this slug. GET /v1/fields lists the fields.',
        );
      return options;
    });
  },
});
