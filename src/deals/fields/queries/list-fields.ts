import { z } from 'zod';
import { type Caller } from '../../../kernel/caller.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { type Input, operation } from '../../../platform/operations/operation.js';
import { flag, text } from '../../../platform/operations/schemas.js';
import { fieldDefinition, fieldDefinitionExample } from '../field-definition.js';
import { listDefinitions } from '../field-definition-views.js';

const query = z.strictObject({
  query: text(100).optional().describe('Part of the slug or of the label, in any case'),
  scores: flag.default(true).describe('false: without the fields that only scores of reps have'),
  lines: flag.default(false).describe('true: with the further fields of products, as line.<slug>'),
});

const declared = {
  method: 'get',
  access: 'connection',
  query,
  response: z.array(fieldDefinition),
  failures: {},
  uses: { unitOfWork: UnitOfWork },
  async execute(
    { query: { query: part = '', scores, lines } }: Input & { readonly query: z.infer<typeof query> },
    caller: Caller,
    { unitOfWork }: { unitOfWork: UnitOfWork },
  ) {
    const fields = await unitOfWork.read(caller, (tx) => listDefinitions(tx, { scores, lines }));
    const wanted = part.toLowerCase();
    return fields.filter(({ slug, label }) => `${slug}\n${label}`.toLowerCase().includes(wanted));
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
        'Fields of deals that a plan may use: slug, label and type. Standard ones first, then those of the newest 2,000 deals.',
      useWhen: 'a rule or condition needs a field.',
      notFor: 'the values of a field (get_field_options).',
      formats: 'slug goes into measure and field, type into fieldType.',
      changes: 'nothing.',
    },
    arguments: { query: 'Part of slug or label', scores: { always: undefined }, lines: { always: undefined } },
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
