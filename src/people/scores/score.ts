import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { checkSlug, type DealTerms } from '../../deals/deal.js';
import { isFormula } from '../../engine/formula.js';
import { standardNamedBy, usualSlugs } from '../../engine/standard-slugs.js';
import { type Issue } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { scoreIdStart } from '../../kernel/score-id.js';
import { text } from '../../platform/operations/schemas.js';

/** The field of deals that has the scores. The id of a score's deal contains it, so it has no colon. */
export const scoreField = text(100)
  .regex(/^[^:]+$/, 'must not contain a colon')
  .describe('Field that has the scores, such as mbo_points: the measure of the rules that read them');

export const score = z
  .object({
    field: z.string().describe('Field that has the score'),
    repId: fields.repId,
    repName: z.string().describe('Name of the rep'),
    period: z.string().describe('The period that the score is about'),
    score: z.number().describe('The score'),
    dealId: z.string().describe('Id of the deal that has the score, with which its commission is explained'),
    closeDate: z
      .string()
      .nullable()
      .describe('Close date of this deal: the last day of the period, or of the employment if that is earlier'),
  })
  .describe('The score of a rep for a period');

export const scoreExample = {
  field: 'mbo_points',
  repId: sampleIds.repId,
  repName: 'Ben',
  period: '2026-Q1',
  score: 85,
  dealId: `score:mbo_points:${sampleIds.repId}:2026-Q1`,
  closeDate: '2026-03-31',
};

/** Whether the deal is a score. */
export function isScore(dealId: string): boolean {
  return dealId.startsWith(scoreIdStart);
}

/** The ids of the deals of all scores in the field begin with it. */
export function scorePrefix(field: string): string {
  return `${scoreIdStart}${field}:`;
}

export function scoreDealId(field: string, repId: string, period: string): string {
  return `${scorePrefix(field)}${repId}:${period}`;
}

/** The name of the deal on statements. */
export function scoreName(field: string, period: string): string {
  const words = field.replaceAll('_', ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}, ${period}`;
}

/** Scores have a separate field: in a standard field they would be amounts, owners or dates of deals. */
export function findFieldIssue(field: string, { standard }: DealTerms): Issue | null {
  const isStandard =
    standardNamedBy(field) !== undefined ||
    [...Object.values(standard), ...Object.values(usualSlugs).flat()].includes(field);
  if (isStandard) return { path: 'field', message: 'is a standard field of deals' };
  if (isFormula(field) || field.startsWith('_')) return { path: 'field', message: 'is no field of deals' };
  const message = checkSlug(field);
  return message === null ? null : { path: 'field', message };
}
