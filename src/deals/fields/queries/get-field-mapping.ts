import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { fieldMapping, fieldMappingExample } from '../field-mapping.js';
import { findMapping } from '../field-mapping-views.js';

export const getFieldMapping = operation({
  id: 'getFieldMapping',
  summary: 'The saved field mapping',
  method: 'get',
  path: '/v1/fields/current',
  access: 'connection',
  response: fieldMapping,
  failures: {},
  tool: {
    name: 'get_field_mapping',
    title: 'Get field mapping',
    hints: effects.reads,
    description: {
      purpose:
        "Which of the CRM's slugs stand for amount, stage, close date and owner (standard), and what plans call other fields (measures).",
      useWhen: 'deals have no owner, amount or close date.',
      notFor: 'fields for a rule (list_fields).',
      changes: 'nothing.',
    },
    arguments: {},
    summary: ({ standard, measures }) =>
      `Standard values mapped: ${Object.keys(standard).length}; measures: ${Object.keys(measures).length}.`,
  },
  example: { response: fieldMappingExample },
  uses: { unitOfWork: UnitOfWork },
  async execute(_, caller, { unitOfWork }) {
    const { standard, measures, refunds } = await unitOfWork.read(caller, (tx) => findMapping(tx));
    return { standard, measures: { ...measures }, ...(refunds === undefined ? {} : { refunds }) };
  },
});
