import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period } from '../../platform/operations/schemas.js';
import { generateForRep } from '../generate-one.js';
import { hasRequests } from '../rep-lane.js';
import { statement, statementExample, statementLocked, toStatementResponse } from '../statement.js';
import { findHead } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({ period: period.describe('Period of the statement') });

export const generateStatement = operation({
  id: 'generateStatement',
  summary: "Generate a new version of the rep's statement for the period from the current ledger",
  method: 'post',
  path: '/v1/statements/:repId/generate',
  access: 'manager',
  params,
  body,
  response: z.object({ generated: z.boolean().describe('Always true'), ...statement.shape }),
  failures: { rep_not_found: 404, statement_locked: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02' },
    response: { generated: true, ...statementExample },
  },
  uses: { unitOfWork: UnitOfWork, laneRunner: LaneRunner, clock: CLOCK },
  async execute({ params: { repId }, body: { period: requestedPeriod } }, caller, { unitOfWork, laneRunner, clock }) {
    const parts = { unitOfWork, laneRunner, clock };
    const generated = await generateForRep(parts, repId, requestedPeriod, caller, async (tx, key, repName, content) => {
      const pending = await hasRequests(tx, key);
      return toStatementResponse(key, repName, await findHead(tx, key), content, caller, pending ? { pending } : {});
    });
    if (generated === 'already_approved') throw statementLocked(requestedPeriod);
    return { generated: true, ...generated };
  },
});
