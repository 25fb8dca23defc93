import { z } from 'zod';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { planTemplateExample } from '../plan-examples.js';
import { planTemplate } from '../templates.js';
import { planTemplates } from '../templates-catalog.js';

export const listPlanTemplates = operation({
  id: 'listPlanTemplates',
  summary: 'Starter plans with worked examples; each planConfig is a plan body that lacks only name and effectiveStart',
  method: 'get',
  path: '/v1/plans/templates',
  access: 'connection',
  response: z.array(planTemplate),
  failures: {},
  tool: {
    name: 'list_plan_templates',
    title: 'List plan templates',
    hints: effects.reads,
    description: {
      purpose: 'Starter plans, each with a config and, in full detail, a worked example.',
      useWhen: 'a person describes a new plan.',
      notFor: 'existing plans (list_plans).',
      formats: 'give planConfig.config as the config of create_plan.',
      changes: 'nothing.',
    },
    arguments: {},
    list: 'templates',
    detail: { defaultForm: 'summary', summaryOmits: ['templates.workedExample'] },
    summary: (templates) => `Templates: ${templates.map(({ templateId }) => templateId).join(', ')}.`,
  },
  example: { response: [planTemplateExample] },
  async execute() {
    return planTemplates;
  },
});
