import { injectable } from 'tsyringe';
import { z } from 'zod';
import { operation } from '../../platform/operation.js';
import { planTemplate } from '../templates.js';
import { planTemplates } from '../templates-catalog.js';

@injectable()
export class ListPlanTemplates {
  async execute() {
    return planTemplates;
  }
}

export const listPlanTemplates = operation({
  id: 'listPlanTemplates',
  summary: 'Starter plans with worked examples; each planConfig is a plan body that lacks only name and effectiveStart',
  method: 'get',
  path: '/v1/plans/templates',
  access: 'rep',
  response: z.array(planTemplate),
  failures: {},
  handler: ListPlanTemplates,
});
