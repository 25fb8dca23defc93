import { z } from 'zod';
import { type StandardField } from '../../engine/field-value.js';
import { invalid } from '../../kernel/failure.js';
import { text } from '../../platform/operations/schemas.js';

const slug = text(500);

/** Slugs of the fields that hold a deal's standard values. */
export const standardMapping = z.strictObject({
  dealAmount: slug.optional().describe('Slug of the amount'),
  dealStage: slug.optional().describe('Slug of the stage'),
  closeDate: slug.optional().describe('Slug of the close date'),
  dealName: slug.optional().describe('Slug of the name'),
  ownerId: slug.optional().describe("Slug of the owner's id in the CRM"),
  currency: slug.optional().describe('Slug of the currency'),
  createdDate: slug.optional().describe('Slug of the date of creation'),
} satisfies Record<StandardField, z.ZodType>);

/** Measure slugs used in plans, mapped to the CRM's slugs. */
export const measureMapping = z
  .record(slug, slug)
  .refine((measures) => Object.keys(measures).length <= 500, 'must contain at most 500 measures')
  .describe('Slugs that plans use, each with the slug of the CRM');

/** Slugs of the fields in which a CRM states the refund of a deal. */
export const refundMapping = z
  .strictObject({
    cancelledOn: slug.describe('Slug of the date on which the customer cancelled: a deal with it has a refund'),
    refundAmount: slug
      .optional()
      .describe('Slug of the amount that is refunded; without it, or without a value, the whole deal'),
  })
  .describe('Fields of synced deals that state a refund');

export const fieldMapping = z
  .object({
    standard: standardMapping.describe('Slugs of the standard values of a deal'),
    measures: measureMapping,
    refunds: refundMapping.optional().describe('Fields of synced deals that state a refund; absent if none do'),
  })
  .describe('Which slug holds which value of a deal');

/** A slug cannot hold two standard values. */
export function assertEachSlugOnce(standard: z.infer<typeof standardMapping>): void {
  const bySlug = new Map<string, string>();
  for (const [name, target] of Object.entries(standard) as [StandardField, string | undefined][]) {
    if (target === undefined) continue;
    const other = bySlug.get(target);
    if (other !== undefined)
      throw invalid({
        path: `standard.${name}`,
        message: `maps to ${target}, which ${other} already uses; map each field once`,
      });
    bySlug.set(target, name);
  }
}

export const fieldMappingExample = {
  standard: { dealAmount: 'close_value', dealStage: 'deal_stage', closeDate: 'close_date', ownerId: 'sales_agent' },
  measures: { arr: 'annual_value' },
};
