import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Caller } from '../kernel/caller.js';
import { maxSlugLength } from './deal.js';
import { type IncomingDeal } from './incoming-deal.js';

/** What a write does with values that a person has corrected. */
export const corrections = z
  .enum(['keep', 'replace', 'set'])
  .default('keep')
  .describe(
    'keep: values that a person has corrected stay, and other ones are reported as conflicts; replace: they are replaced and no longer corrected; set: the values that this request changes in stored deals are corrections of a person, which later syncs and imports keep',
  );
type Mode = z.infer<typeof corrections>;

/** The corrections of an {@link IncomingDeal} for the mode of a request; none for `keep`. */
export function toMarks(mode: Mode, { actor }: Caller): IncomingDeal['corrections'] {
  if (mode === 'keep') return undefined;
  return mode === 'replace' ? 'replace' : { by: actor };
}

/** {@link toMarks} as a property to spread. */
export function asMarks(query: { readonly corrections: Mode }, caller: Caller): Pick<IncomingDeal, 'corrections'> {
  const marks = toMarks(query.corrections, caller);
  return marks === undefined ? {} : { corrections: marks };
}

export const correctionValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable();

export const maxCorrectionNameLength = maxSlugLength + 'fields.'.length;

export const correctionName = z
  .string()
  .describe('Corrected value: amount, currency, stage, closeDate, createdDate, name, owner, or `fields.` and the slug');

export const correctionConflict = z
  .object({
    dealId: fields.dealId,
    name: correctionName,
    kept: correctionValue.describe('The value of the person; null for none'),
    reported: correctionValue.describe('The value that the source states; null for none'),
  })
  .describe('A corrected value that a source states otherwise');
