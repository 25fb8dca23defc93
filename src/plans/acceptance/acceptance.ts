import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { pathId } from '../../platform/operations/schemas.js';
import { documentExample, hashDocument, planDocument } from './plan-document.js';

export const acceptanceMode = z
  .enum(['none', 'required', 'hold_pay'])
  .describe('none; required: people accept the plan; hold_pay: what it pays waits for that too');
export type AcceptanceMode = z.output<typeof acceptanceMode>;

export const acceptanceStatus = z.enum(['waiting', 'accepted', 'declined']).describe('waiting, accepted or declined');

/** In a query string. */
export const planRefQuery = pathId.optional().describe('Only this plan, or this version of one (UUID); all by default');

/** Whether a person has accepted the plan as it is for them now. */
export const acceptance = z
  .object({
    planId: fields.planId,
    planVersionId: fields.planVersionId,
    planName: fields.planName,
    version: fields.version,
    acceptance: acceptanceMode,
    repId: fields.repId,
    repName: fields.repName,
    status: acceptanceStatus.describe(
      'For the document as it is now: another configuration or other terms of the person wait again',
    ),
    sha256: z.string().describe('SHA-256 of the document of the person, in hexadecimal'),
    signedName: z.string().optional().describe('Name that the person has entered; absent before the acceptance'),
    reason: z.string().optional().describe('Why the person declined; absent otherwise'),
    decidedAt: z.string().optional().describe('When they decided, instant in ISO 8601; absent while it waits'),
  })
  .describe('The acceptance of one plan version by one person');
export type Acceptance = z.input<typeof acceptance>;

export const acceptanceWithDocument = acceptance.extend({ document: planDocument });

export function acceptanceNotNeeded(): Failure {
  return new Failure(
    'acceptance_not_needed',
    'This version of the plan needs no acceptance, or you are not on the plan.',
  );
}

export function documentChanged(sha256: string): Failure {
  return new Failure('document_changed', 'The document is another one than was read. Read it again, then sign it.', {
    sha256,
  });
}

export const acceptanceExample: Acceptance = {
  planId: sampleIds.planId,
  planVersionId: sampleIds.planVersionId,
  planName: 'AE',
  version: 1,
  acceptance: 'required',
  repId: sampleIds.repId,
  repName: 'Ben',
  status: 'waiting',
  sha256: hashDocument(documentExample),
};
