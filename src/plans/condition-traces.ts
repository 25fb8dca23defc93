import { z } from 'zod';
import { operators } from '../engine/condition.js';

const condition = z
  .object({
    field: z.string().describe('Slug of the field that was compared'),
    operator: z.enum(operators).describe('How the field was compared'),
    value: z.unknown().optional().describe('What the field was compared with'),
    seen: z.unknown().describe('Value of the field on the deal'),
    passed: z.boolean().describe('Whether the condition held'),
  })
  .describe('A condition as it was evaluated on the deal');

export const conditionTraces = z
  .array(condition)
  .describe('The conditions of the plan and the rule, as they were evaluated');
