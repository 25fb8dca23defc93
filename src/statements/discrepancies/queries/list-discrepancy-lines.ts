import { z } from 'zod';
import { pageFields, pathIds } from '../../../api/resource-fields.js';
import { type Clock } from '../../../kernel/clock.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { offsetPage } from '../../../platform/operations/schemas.js';
import { findDifference } from '../../pay-difference.js';
import { toTrueUpLineResponse, trueUpLine } from '../../true-up-line.js';
import { type Discrepancy, discrepancyExample } from '../discrepancy.js';
import { findVisibleDiscrepancy } from '../visible-discrepancy.js';

const response = z.object({
  lines: z.array(trueUpLine).describe('The differences of the page by deal and rule, the largest first'),
  ...pageFields,
});

/** The stored lines if they are all of them; otherwise those of a new calculation. A resolved one has no others. */
async function loadLines(tx: Transaction, found: Discrepancy, clock: Clock): Promise<Discrepancy['lines']> {
  if (found.status === 'resolved' || found.lines.length === found.lineCount) return found.lines;
  const { owed } = await findDifference(tx, { repId: found.repId, period: found.period }, clock.now());
  const lines = owed.amounts.find(({ currency }) => currency === found.currency)?.lines ?? [];
  return lines.map((line) => toTrueUpLineResponse(line, found.currency));
}

export const listDiscrepancyLines = operation({
  id: 'listDiscrepancyLines',
  summary: 'Every difference by deal and rule of a discrepancy, also beyond those that the list has',
  method: 'get',
  path: '/v1/discrepancies/:discrepancyId/lines',
  access: 'manager',
  payroll: true,
  params: z.strictObject({ discrepancyId: pathIds.discrepancyId }),
  query: z.strictObject(offsetPage('lines', 500, 100)),
  response,
  failures: { discrepancy_not_found: 404, statement_not_approved: 409 },
  example: {
    params: { discrepancyId: discrepancyExample.discrepancyId },
    query: { limit: '100', offset: '0' },
    response: { lines: discrepancyExample.lines, count: 1, limit: 100, offset: 0 },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(
    { params: { discrepancyId }, query: { limit, offset } },
    caller,
    { unitOfWork, clock },
  ): Promise<z.input<typeof response>> {
    return unitOfWork.read(caller, async (tx) => {
      const found = await findVisibleDiscrepancy(tx, caller, discrepancyId);
      const lines = await loadLines(tx, found, clock);
      return { lines: lines.slice(offset, offset + limit), count: lines.length, limit, offset };
    });
  },
});
