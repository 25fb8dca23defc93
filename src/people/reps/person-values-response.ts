import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { text } from '../../platform/operations/schemas.js';
import { datedValues } from './dated-field.js';

export const personFieldSlug = text(50).describe('Slug of a dated field, or title, team or location');

export const personValues = z.object({
  repId: fields.repId,
  slug: z.string().describe('Slug of the field'),
  values: datedValues,
});

export const personValuesExample = {
  repId: sampleIds.repId,
  slug: 'title',
  values: [{ value: 'AE' }, { from: '2026-02-15', value: 'Senior' }],
};
