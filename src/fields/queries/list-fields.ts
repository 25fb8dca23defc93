import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operations/operation.js';
import { fieldDefinition, fieldDefinitionExample } from '../field-definition.js';
import { listDefinitions } from '../field-definition-views.js';

const declared = {
  method: 'get',
  access: 'connection',
  response: z.array(fieldDefinition),
  failures: {},
  uses: { unitOfWork: UnitOfWork },
  async execute(_: Input, caller: Caller, { unitOfWork }: { unitOfWork: UnitOfWork }) {
    return unitOfWork.read(caller, (tx) => listDefinitions(tx));
  },
} as const;

export const listFields = operation({
  ...declared,
  id: 'listFields',
  summary:
    'List the fields that plans may use: standard values, fields of the connected CRM, and fields of the newest 2,000 deals',
  path: '/v1/fields',
  tool: {
    name: 'list_fields',
    title: 'List deal fields',
    hints: effects.reads,
    description: {
      purpose:
        'Fields of deals that a plan may use: slug, label and type. The standard ones come first, then what the newest 2,000 deals carry.',
      useWhen: 'you choose measure, payoutBase or tierValueField of a rule, or field and fieldType of a condition.',
      notFor: 'the values of a field (use get_field_options) or how slugs are mapped (get_field_mapping).',
      formats: 'slug goes into measure and field, type into fieldType.',
      changes: 'nothing.',
    },
    arguments: {},
    list: 'fields',
    summary: (fields) => `Fields that plans may use: ${fields.length}.`,
  },
  example: { response: [fieldDefinitionExample] },
});

export const listFieldAttributes = operation({
  ...declared,
  id: 'listFieldAttributes',
  summary: 'Deprecated alias of GET /v1/fields',
  deprecated: true,
  path: '/v1/fields/attributes',
  example: { response: [fieldDefinitionExample] },
});
