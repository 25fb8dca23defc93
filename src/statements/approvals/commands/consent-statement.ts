import { z } from 'zod';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { Failure } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { LaneRunner } from '../../../ledger/lanes/lane-runner.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { period, uuid } from '../../../platform/operations/schemas.js';
import { approvalFailures, approve } from '../../commands/approve-statement.js';
import { approval } from '../approval.js';
import { approvalExample } from '../approval-example.js';
import { notNext } from '../sign-step.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  period: period.describe('Period of the statement'),
  version: z.int().min(1).describe('The version that the rep has read. If it is not the latest, the request fails'),
  contentHash: uuid.optional().describe('Its `approval.contentHash`. With another content, the request fails'),
});

export const consentStatement = operation({
  id: 'consentStatement',
  summary: 'Consent to the own statement, where a step of the chain of approval is the rep',
  method: 'post',
  path: '/v1/statements/:repId/consent',
  scope: null,
  access: 'rep',
  params,
  body,
  response: z.object({
    repId: fields.repId,
    period: fields.period,
    version: fields.version,
    status: z.enum(['draft', 'approved']).describe('approved if the consent was the last step'),
    approval,
  }),
  failures: approvalFailures,
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02', version: 1 },
    response: { repId: sampleIds.repId, period: '2026-02', version: 1, status: 'draft', approval: approvalExample },
  },
  uses: { unitOfWork: UnitOfWork, laneRunner: LaneRunner, clock: CLOCK },
  async execute({ params: { repId }, body: request }, caller, parts) {
    if (caller.repId !== repId)
      throw new Failure('forbidden', 'Only the rep consents to their statement, in their own session.');
    const key = { repId, period: request.period };
    const terms = { ...request, force: true, asRep: true } as const;
    const { version, status, approval: chain } = await approve(parts, key, terms, caller);
    if (chain === undefined) throw notNext(null);
    return {
      ...key,
      version,
      status: status === 'approved' ? ('approved' as const) : ('draft' as const),
      approval: chain,
    };
  },
});
