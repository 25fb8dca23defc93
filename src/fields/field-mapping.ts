import { z } from 'zod';
import { type StandardField } from '../engine/field-value.js';
import { invalid } from '../kernel/failure.js';
import { text } from '../platform/schemas.js';

const slug = text(500);

/** Slugs of the fields that hold a deal's standard values. */
export const standardMapping = z.strictObject({
  dealAmount: slug.optional(),
  dealStage: slug.optional(),
  closeDate: slug.optional(),
  dealName: slug.optional(),
  ownerId: slug.optional(),
  currency: slug.optional(),
  createdDate: slug.optional(),
} satisfies Record<StandardField, z.ZodType>);

/** Measure slugs used in plans, mapped to the CRM's slugs. */
export const measureMapping = z
  .record(slug, slug)
  .refine((measures) => Object.keys(measures).length <= 500, 'must contain at most 500 measures');

export const fieldMapping = z.object({ standard: standardMapping, measures: measureMapping });

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
