import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { type DisputeDetail, disputeDetail, disputeDetailExample } from '../dispute.js';
import { findVisibleDispute, readDisputeDetail } from '../dispute-views.js';

const params = z.strictObject({ disputeId: pathIds.disputeId });

export const getDispute = operation({
  id: 'getDispute',
  summary: 'Get a dispute with its evidence, its history and its thread of comments',
  method: 'get',
  path: '/v1/disputes/:disputeId',
  access: 'rep',
  payroll: true,
  params,
  response: disputeDetail,
  failures: { dispute_not_found: 404 },
  example: { params: { disputeId: disputeDetailExample.disputeId }, response: disputeDetailExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { disputeId } }, caller, { unitOfWork }): Promise<DisputeDetail> {
    return unitOfWork.read(caller, async (tx) => {
      const dispute = await findVisibleDispute(tx, caller, disputeId);
      return readDisputeDetail(tx, caller, dispute);
    });
  },
});
