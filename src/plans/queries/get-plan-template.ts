import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { operation } from '../../platform/operations/operation.js';
import { planTemplateExample } from '../plan-examples.js';
import { planTemplate } from '../templates.js';
import { planTemplates } from '../templates-catalog.js';

const params = z.strictObject({ templateId: z.string().describe('Id of the template, such as flat-commission') });

export const getPlanTemplate = operation({
  id: 'getPlanTemplate',
  summary: 'One starter plan with its worked example',
  method: 'get',
  path: '/v1/plans/templates/:templateId',
  access: 'connection',
  params,
  response: planTemplate,
  failures: { template_not_found: 404 },
  example: { params: { templateId: 'flat-commission' }, response: planTemplateExample },
  async execute({ params: { templateId } }) {
    const template = planTemplates.find((candidate) => candidate.templateId === templateId);
    if (template === undefined) {
      const templateIds = planTemplates.map((candidate) => candidate.templateId).join(', ');
      throw new Failure('template_not_found', `There is no such template. The templates are ${templateIds}.`);
    }
    return template;
  },
});
